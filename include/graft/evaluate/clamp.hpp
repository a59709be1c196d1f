#pragma once
#include <limits>

namespace graft::inline v1 {

/// Bounds of floats with the meaning of Clip: min(max(x, low), high). NaN stays NaN, and if low > high, high wins.
/// Unbounded by default.
struct Clamp {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  /// Clamps a float or a vector of floats.
  template <class T>
  [[gnu::always_inline]] static void apply(T& x, const T& low, const T& high) {
    x = x < low ? low : x;
    x = high < x ? high : x;
  }
};

}  // namespace graft::inline v1
