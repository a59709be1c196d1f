#pragma once
#include <graft/qdq/qparams.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE float to_scale(double exact, double steps) {
  const double greatest = static_cast<double>(std::numeric_limits<float>::max()) / steps;
  const auto scale = static_cast<float>(std::clamp<double>(exact, std::numeric_limits<float>::min(), greatest));
  return std::isfinite(scale * static_cast<float>(steps)) ? scale : std::nextafter(scale, 0.0f);
}

GRAFT_INLINE double round_half_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

GRAFT_INLINE SpanParams respan(const SpanParams& params, const IntegerSpan& before, const IntegerSpan& after) {
  if (params.zero_point == 0) return {to_scale(params.scale * before.highest / after.highest), 0};
  const double steps = (before.highest - before.lowest) / (after.highest - after.lowest);
  const double exact = after.lowest + (params.zero_point - before.lowest) / steps;
  return {to_scale(params.scale * steps),
          std::clamp(round_half_even(exact), std::ceil(after.lowest), std::floor(after.highest))};
}

/// Throws Error for a number of bits that the dtype does not have.
inline void check_bits(int bits, DType dtype) {
  const int most = static_cast<int>(graft::bits(dtype));
  if (bits < 2 || bits > most)
    throw Error(std::to_string(bits) + " bits, not 2 to " + std::to_string(most) + " as " +
                std::string(to_string(dtype)) + " has");
}

/// Throws Error unless the range can be quantized. An empty range can.
inline void check_quantizable(const Range& range) {
  check_order(range);
  if (!range.empty() && !(std::isfinite(range.min) && std::isfinite(range.max))) throw Error("the range is not finite");
}

}  // namespace detail

GRAFT_INLINE QParams symmetric_qparams(const Range& range, DType dtype, int bits) {
  detail::check_bits(bits, dtype);
  const int most = static_cast<int>(graft::bits(dtype));
  detail::check_quantizable(range);
  QParams q{1, 0, dtype};
  const auto greatest = [](int width) { return (std::int64_t{1} << (width - 1)) - 1; };
  if (!q.is_float8()) q.zero_point = static_cast<std::int32_t>(q.highest() - greatest(most));
  const double magnitude = range.empty() ? 0 : std::max(std::abs(double{range.min}), std::abs(double{range.max}));
  if (magnitude > 0) {
    const double steps = q.zero_point - q.lowest();  // below 0: one more than above
    const double reached = q.is_float8() ? q.highest() : static_cast<double>(greatest(bits));
    q.scale = detail::to_scale(magnitude / reached, steps);
  }
  return q;
}

GRAFT_INLINE QParams choose_qparams(const Range& range, DType dtype, ZeroPoint zero_point) {
  if (zero_point == ZeroPoint::middle || dtype == DType::f8e4m3fn)
    return symmetric_qparams(range, dtype, static_cast<int>(bits(dtype)));
  detail::check_quantizable(range);
  const double min = std::min(0.0, static_cast<double>(range.min));
  const double max = std::max(0.0, static_cast<double>(range.max));
  QParams q{1, 0, dtype};
  const double lowest = q.lowest(), highest = q.highest();
  if (min < max) q.scale = detail::to_scale((max - min) / (highest - lowest));
  q.zero_point =
      static_cast<std::int32_t>(std::clamp(detail::round_half_even(lowest - min / q.scale), lowest, highest));
  q.scale = detail::to_scale(q.scale, std::max(q.zero_point - lowest, highest - q.zero_point));
  return q;
}

GRAFT_INLINE QParams narrowed(const QParams& q, int bits) {
  detail::check_bits(bits, q.dtype);
  const double steps = (1 << bits) - 1, lowest = is_unsigned_integer(q.dtype) ? 0 : -(1 << (bits - 1));
  const detail::SpanParams params =
      detail::respan({q.scale, static_cast<double>(q.zero_point)},
                     {static_cast<double>(q.lowest()), static_cast<double>(q.highest())}, {lowest, lowest + steps});
  QParams result{params.scale, static_cast<std::int32_t>(params.zero_point), q.dtype};
  const auto greatest = static_cast<float>(lowest + steps);
  while (q.zero_point == 0 && greatest * result.scale > q.range().max)
    result.scale = std::nextafter(result.scale, 0.0f);
  return result;
}

}  // namespace graft::inline v1
