#pragma once
#include <graft/session/output_difference.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <graft/config.hpp>

namespace graft::inline v1 {

namespace detail {

/// The least magnitude of an output: traces of rounding beside zeros do not count.
inline constexpr double least_magnitude = 1e-12;

inline double relative_difference(const Tensor& expected, const Tensor& actual) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (expected.dtype() != actual.dtype() || expected.dims() != actual.dims()) return infinity;
  if (expected.same_bytes(actual)) return 0;
  const std::vector<double> one = expected.to<double>(), other = actual.to<double>();
  double magnitude = least_magnitude, largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (std::isfinite(one[i])) magnitude = std::max(magnitude, std::abs(one[i]));
    if (one[i] == other[i] || (std::isnan(one[i]) && std::isnan(other[i]))) continue;
    const double apart = std::abs(one[i] - other[i]);
    largest = std::max(largest, std::isnan(apart) ? infinity : apart);
  }
  return largest == 0 ? 0 : largest / magnitude;
}

}  // namespace detail

GRAFT_INLINE void compare_output(std::string_view output, const Tensor& expected, const Tensor& actual,
                                 OutputDifference& so_far) {
  const double relative = detail::relative_difference(expected, actual);
  if (relative > so_far.relative) so_far = {relative, std::string(output)};
}

}  // namespace graft::inline v1
