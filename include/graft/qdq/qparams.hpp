#pragma once
#include <cstdint>

#include <graft/graph/dtype.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1 {

/// The quantization of a tensor, or of one channel: x = (q - zero_point) * scale, as DequantizeLinear computes it.
struct QParams {
  float scale = 1;
  std::int32_t zero_point = 0;
  DType dtype = DType::u8;

  std::int32_t lowest() const { return is_float8() ? -448 : static_cast<std::int32_t>(graft::lowest(dtype)); }
  std::int32_t highest() const { return is_float8() ? 448 : static_cast<std::int32_t>(graft::highest(dtype)); }
  /// Whether values are f8e4m3fn, which have their own exponents. The zero point is 0 then.
  bool is_float8() const { return dtype == DType::f8e4m3fn; }
  float dequantize(std::int32_t q) const { return static_cast<float>(q - zero_point) * scale; }
  /// The range of dequantized values, in float32 arithmetic.
  Range range() const { return {dequantize(lowest()), dequantize(highest())}; }

  friend bool operator==(const QParams&, const QParams&) = default;
};

enum class ZeroPoint : std::uint8_t {
  free,    ///< any, as the range requires
  middle,  ///< 0 for signed dtypes, the middle of unsigned ones; the range is made symmetric
};

namespace detail {

/// The nearest scale that is a normal float32: not 0, denormal or infinite. `steps` times the scale is finite, too.
float to_scale(double exact, double steps = 1);

/// Rounds to the nearest integer, ties to even, in any rounding mode of the thread.
double round_half_even(double x);

/// The lowest and the highest integer, before rounding: bit widths may be fractions.
struct IntegerSpan {
  double lowest, highest;
};
struct SpanParams {
  float scale;
  double zero_point;
};

/// The scale and zero point with which the integers of `after` have the range that those of `before` have with these.
/// With a zero point of 0 only the highest number stays exact. Else both ends do, up to the rounding of the zero point.
SpanParams respan(const SpanParams& params, const IntegerSpan& before, const IntegerSpan& after);

}  // namespace detail

/// The q-params of a range made symmetric. The zero point is 0, or the middle of an unsigned dtype. The greatest
/// magnitude is 2^(bits-1) - 1 steps away, so that int8 weights are in [-127, 127], and in [-63, 63] with 7 bits. Of
/// f8e4m3fn it becomes 448, whatever the bits.
/// Range() counts as [0, 0], with a scale of 1. Throws Error for fewer than 2 bits or more bits than the dtype has, and
/// as choose_qparams() does.
QParams symmetric_qparams(const Range& range, DType dtype, int bits);

/// The scale and zero point with which the integers of a dtype span the range, widened to contain 0 so that 0 is exact.
/// ZeroPoint::middle and f8e4m3fn give symmetric_qparams() with all bits. Range() counts as [0, 0], with a scale of 1.
/// The dequantized value of every integer is a finite float32. (QuantizeLinear, ONNX operator since version 10.) Throws
/// Error if an end of any other range is not finite, or if its min is above its max.
QParams choose_qparams(const Range& range, DType dtype, ZeroPoint zero_point = ZeroPoint::free);

/// The q-params whose range is that of q, of integers of fewer bits: from 0 to 2^bits - 1, or from -2^(bits-1) to
/// 2^(bits-1) - 1 of a signed dtype. A zero point of 0 stays 0, and the highest number does not grow then. Throws Error
/// for fewer than 2 bits, or more than the dtype has.
QParams narrowed(const QParams& q, int bits);

}  // namespace graft::inline v1
