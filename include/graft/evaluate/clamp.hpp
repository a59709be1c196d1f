#pragma once
#include <limits>

namespace graft::inline v1 {

/// Bounds of floats as Clip has them: min(max(x, low), high), where NaN stays NaN and high wins. By default none.
struct Clamp {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  /// For a float or a vector of them.
  template <class T>
  [[gnu::always_inline]] static void apply(T& x, const T& low, const T& high) {
    x = x < low ? low : x;
    x = high < x ? high : x;
  }
};

}  // namespace graft::inline v1
