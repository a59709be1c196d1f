#pragma once
#include <catch2/catch.hpp>

/// How many times this program has left a test early; ctest then reports the test as skipped.
inline int& skip_count() {
  static int count = 0;
  return count;
}

/// Leaves the test, saying why.
#define SKIP_TEST(why)          \
  do {                          \
    WARN("skipped: " << why);   \
    ++skip_count();             \
    return;                     \
  } while (false)
