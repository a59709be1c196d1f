#pragma once
#include <cstdint>
#include <vector>

/// `count` numbers in [-1, 1), the same for the same seed.
inline std::vector<float> random_floats(std::int64_t count, std::uint32_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return values;
}
