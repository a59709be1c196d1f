#pragma once
#include <catch2/catch.hpp>

/// How many tests this program has left early. Where it has left all that it ran, ctest reports it as skipped.
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
