#pragma once
#include <cstddef>

/// Bytes that `operator new` has given out and not got back, in the whole program, protobuf's included: linking
/// tracked_memory.cpp replaces it.
struct TrackedMemory {
  static std::size_t live();
  /// The most that were live at once since restart().
  static std::size_t peak();
  static void restart();
};
