#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/tensor.hpp>

/// The largest difference between the outputs before and after.
struct Difference {
  double largest = 0;    // absolute difference of two elements; infinite if one is NaN or they are different infinities
  double relative = 0;   // the same divided by the largest magnitude of that tensor
  std::string output{};  // the name of that tensor
};

/// Replaces `so_far` by the difference of these outputs if that is larger.
inline void compare(const graft::Tensor& before, const graft::Tensor& after, std::string_view output,
                    Difference& so_far) {
  Difference found{0, 0, std::string(output)};
  const std::vector<double> one = before.to<double>(), other = after.to<double>();
  double magnitude = 0;
  for (const double value : one)
    if (std::isfinite(value)) magnitude = std::max(magnitude, std::abs(value));
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i] || (std::isnan(one[i]) && std::isnan(other[i]))) continue;
    const double apart = std::abs(one[i] - other[i]);
    found.largest = std::max(found.largest, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
  }
  found.relative = found.largest == 0 ? 0 : found.largest / magnitude;
  if (so_far.output.empty() || found.largest > so_far.largest) so_far = std::move(found);
}
