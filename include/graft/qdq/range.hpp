#pragma once
#include <algorithm>
#include <cmath>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// The closed interval of the values of a tensor. Empty (min > max) until a value is added.
struct Range {
  float min = INFINITY;
  float max = -INFINITY;

  constexpr bool empty() const { return min > max; }
  constexpr bool within(const Range& other) const { return empty() || (other.min <= min && max <= other.max); }

  constexpr Range& merge(const Range& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    return *this;
  }
  /// The range with each end moved to the nearest value inside the bounds, which must not be empty.
  constexpr Range clamped(const Range& bounds) const {
    return {std::clamp(min, bounds.min, bounds.max), std::clamp(max, bounds.min, bounds.max)};
  }

  friend constexpr bool operator==(const Range&, const Range&) = default;
};

namespace detail {

/// Throws Error if min is above max. Range(), the empty range, is valid.
void check_order(const Range& range);

}  // namespace detail

}  // namespace graft::inline v1
