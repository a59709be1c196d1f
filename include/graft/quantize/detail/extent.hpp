#pragma once
#include <array>
#include <cstddef>
#include <span>

#include <graft/quantize/range.hpp>

namespace graft::inline v1::detail {

/// The range of some values, and whether all of them are finite. NaN is left out of the range.
struct Extent {
  Range range;
  bool finite = true;
};

inline Extent extent_of(std::span<const float> values) {
  constexpr std::size_t lanes =
      16;  // so that a loop over them becomes vector instructions, which min over one float would not
  std::array<float, lanes> min, max, nan{};
  min.fill(INFINITY);
  max.fill(-INFINITY);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const float x = values[i + k];
      min[k] = x < min[k] ? x : min[k];
      max[k] = x > max[k] ? x : max[k];
      nan[k] += x - x;  // 0, and NaN once x is infinite or NaN
    }
  }
  Extent extent;
  for (; i < values.size(); ++i) {
    extent.range.merge({values[i], values[i]});
    nan[0] += values[i] - values[i];
  }
  float sum = 0;
  for (std::size_t k = 0; k < lanes; ++k) {
    extent.range.merge({min[k], max[k]});
    sum += nan[k];
  }
  // -0 is made 0: which of the two came first would depend on the order of the values.
  extent.range.min += 0.0f;
  extent.range.max += 0.0f;
  extent.finite = sum == 0;
  return extent;
}

}  // namespace graft::inline v1::detail
