#pragma once
#include <cstddef>

namespace graft::inline v1 {

/// What JSON that is read may ask for: files of ranges and of targets.
struct JsonLimits {
  /// Larger texts and files are refused. They take about twenty times as much in memory.
  std::size_t max_bytes = std::size_t{1} << 26;
  /// How many brackets may be open at once. The time that it takes grows by the square.
  std::size_t max_nested = 32;
};

}  // namespace graft::inline v1
