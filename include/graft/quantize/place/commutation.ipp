#pragma once
#include <graft/quantize/place/commutation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/quantize/kernel/bounds.hpp>

namespace graft::inline v1 {

namespace commute {

GRAFT_INLINE double moved_steps(double moved, const QParams& behind) {
  return std::floor(moved / static_cast<double>(behind.scale)) + 1;
}

}  // namespace commute

namespace detail {

/// Where a value lies among the integers, as a real number.
inline double place_of(float value, const QParams& q) {
  return static_cast<double>(value) / static_cast<double>(q.scale) + q.zero_point;
}

/// How far a bound of Clip is from the integer that stands for it: an end of the dtype if it lies beyond.
inline double off_grid(double place, const QParams& q) {
  if (std::isinf(place)) return place;
  return std::abs(place - std::clamp<double>(round_half_even(place), q.lowest(), q.highest()));
}

inline double clip_moves(const Range& limits, const QParams& q) {
  const double low = place_of(limits.min, q), high = place_of(limits.max, q);
  return std::max(low > q.lowest() ? off_grid(low, q) : 0, high < q.highest() ? std::abs(off_grid(high, q)) : 0);
}

inline bool is_whole(double number) { return number == std::floor(number); }

/// Whether an activation maps the multiples of a scale to such, with slopes of -1, 0 and 1.
inline bool keeps_grid(const Node& node, const QParams& q) {
  if (const std::optional<std::vector<float>> slopes = slopes_below_0(node))
    return std::all_of(slopes->begin(), slopes->end(),
                       [](float slope) { return slope == -1 || slope == 0 || slope == 1; });
  const std::optional<Range> limits = bounds(node);
  return limits && is_whole(place_of(limits->min, q)) && is_whole(place_of(limits->max, q));
}

}  // namespace detail

GRAFT_INLINE double commutation_bound(const Node& node, const QParams& q) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Activation* const entry = activation(node);
  if (entry == nullptr) return infinity;
  if (entry->kind == ActivationClass::clip) {
    const std::optional<Range> limits = bounds(node);
    return limits ? detail::clip_moves(*limits, q) : infinity;
  }
  const std::optional<std::vector<float>> slopes = slopes_below_0(node);
  if (!slopes) return infinity;
  double most = 0;
  for (const float slope : *slopes) {
    if (!detail::is_whole(slope) && q.zero_point > q.lowest()) most = std::max<double>(most, entry->rounding);
    const double end = static_cast<double>(slope) * (q.lowest() - q.zero_point) + q.zero_point;
    most = std::max({most, end - q.highest(), q.lowest() - end});
  }
  return most;
}

GRAFT_INLINE double commutation_bound(const Node& node, const QParams& before, const QParams& behind) {
  if (before.scale == behind.scale && detail::keeps_grid(node, before)) return 0;
  return commute::moved_steps(static_cast<double>(steepest_slope(node)) * before.scale / 2, behind);
}

}  // namespace graft::inline v1
