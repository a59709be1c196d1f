#pragma once
#include <graft/config.hpp>
#include <graft/quantize/kernel/inside.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace graft::inline v1 {

namespace detail {

/// The largest scale, at most that of q, with which q lies inside the bounds.
inline QParams shrunk(QParams q, const Range& bounds) {
  const auto above = static_cast<double>(q.highest() - q.zero_point);
  const auto below = static_cast<double>(q.zero_point - q.lowest());
  double scale = q.scale;
  if (above > 0) scale = std::min(scale, bounds.max / above);
  if (below > 0) scale = std::min(scale, -bounds.min / below);
  q.scale = static_cast<float>(scale);
  // The quotient is rounded, and so is the product that the runtime compares: at most a few units in the last place.
  while (q.scale > 0 && !inside(q, bounds)) q.scale = std::nextafter(q.scale, 0.0f);
  return q;
}

/// The largest gap between an end of the range and what q can represent.
inline float loss(const QParams& q, const Range& range) {
  const Range held = q.range();
  return std::max({held.min - range.min, range.max - held.max, 0.0f});
}

/// The q-params inside the bounds whose zero point is one of these steps away from q's. q itself if all lose that much.
inline QParams nearest_inside(const QParams& q, const Range& bounds, std::span<const std::int32_t> steps, float least) {
  if (inside(q, bounds) || bounds.min > 0 || bounds.max < 0) return q;
  const Range wanted = q.range().clamped(bounds);
  QParams best = q;
  for (const std::int32_t step : steps) {
    QParams candidate = q;
    candidate.zero_point = std::clamp(q.zero_point + step, q.lowest(), q.highest());
    candidate = shrunk(candidate, bounds);
    if (candidate.scale < std::numeric_limits<float>::min()) continue;
    const float lost = loss(candidate, wanted);
    if (lost < least) {
      best = candidate;
      least = lost;
    }
  }
  return best;
}

}  // namespace detail

GRAFT_INLINE QParams fitted_inside(const QParams& q, const Range& bounds) {
  constexpr std::array<std::int32_t, 3> steps{0, -1, 1};
  return detail::nearest_inside(q, bounds, steps, INFINITY);
}

GRAFT_INLINE QParams scaled_inside(const QParams& q, const Range& bounds) {
  constexpr std::array<std::int32_t, 1> steps{0};
  return detail::nearest_inside(q, bounds, steps, q.scale);
}

}  // namespace graft::inline v1
