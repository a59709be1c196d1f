#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/range.hpp>

namespace graft::inline v1 {

/// How a tensor, or one channel of it, is quantized: x = (q - zero_point) * scale, as DequantizeLinear computes it.
struct QParams {
  float scale = 1;
  std::int32_t zero_point = 0;
  DType dtype = DType::u8;

  std::int32_t lowest() const { return static_cast<std::int32_t>(graft::lowest(dtype)); }
  std::int32_t highest() const { return static_cast<std::int32_t>(graft::highest(dtype)); }
  float dequantize(std::int32_t q) const { return static_cast<float>(q - zero_point) * scale; }
  /// What the quantized values stand for, in float32 arithmetic.
  Range range() const { return {dequantize(lowest()), dequantize(highest())}; }

  friend bool operator==(const QParams&, const QParams&) = default;
};

enum class ZeroPoint : std::uint8_t {
  free,    ///< where the range has its zero
  middle,  ///< 0 for signed dtypes, the middle of unsigned ones; the range is made symmetric
};

namespace detail {

/// A scale is a normal float32: never 0, denormal or infinite.
inline float to_scale(double exact) {
  return static_cast<float>(
      std::clamp<double>(exact, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()));
}

/// To the nearest integer, ties to even, whatever the rounding mode of the thread is.
inline double round_half_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

/// What was seen of a tensor, if anything was, can be quantized.
inline void check_quantizable(const Range& range) {
  check_order(range);
  if (!range.empty() && !(std::isfinite(range.min) && std::isfinite(range.max))) throw Error("the range is not finite");
}

}  // namespace detail

/// The q-params of a range made symmetric: the zero point is 0, or the middle of an unsigned dtype, and the greatest
/// magnitude lies 2^(bits-1) - 1 steps from it, so that int8 weights lie in [-127, 127], and in [-63, 63] with 7 bits.
/// Range() counts as [0, 0], whose scale is 1. Throws Error for fewer than 2 bits and more than the dtype has, and as
/// choose_qparams() does.
inline QParams symmetric_qparams(const Range& range, DType dtype, int bits) {
  const int most = static_cast<int>(graft::bits(dtype));
  if (bits < 2 || bits > most)
    throw Error(std::to_string(bits) + " bits, not 2 to " + std::to_string(most) + " as " +
                std::string(to_string(dtype)) + " has");
  detail::check_quantizable(range);
  QParams q{1, 0, dtype};
  const auto greatest = [](int width) { return (std::int64_t{1} << (width - 1)) - 1; };
  q.zero_point = static_cast<std::int32_t>(q.highest() - greatest(most));
  const double magnitude = range.empty() ? 0 : std::max(std::abs(double{range.min}), std::abs(double{range.max}));
  if (magnitude > 0) q.scale = detail::to_scale(magnitude / static_cast<double>(greatest(bits)));
  return q;
}

/// The scale and zero point with which the integers of a dtype span the range, widened to contain 0 so that 0 is exact.
/// ZeroPoint::middle gives symmetric_qparams() of all bits. Range() counts as [0, 0], whose scale is 1.
/// QuantizeLinear, ONNX operator since version 10. Throws Error if an end of any other range is not finite, or its min
/// above its max.
inline QParams choose_qparams(const Range& range, DType dtype, ZeroPoint zero_point = ZeroPoint::free) {
  if (zero_point == ZeroPoint::middle) return symmetric_qparams(range, dtype, static_cast<int>(bits(dtype)));
  detail::check_quantizable(range);
  const double min = std::min(0.0, static_cast<double>(range.min));
  const double max = std::max(0.0, static_cast<double>(range.max));
  QParams q{1, 0, dtype};
  const double lowest = q.lowest(), highest = q.highest();
  if (min < max) q.scale = detail::to_scale((max - min) / (highest - lowest));
  q.zero_point =
      static_cast<std::int32_t>(std::clamp(detail::round_half_even(lowest - min / q.scale), lowest, highest));
  return q;
}

}  // namespace graft::inline v1
