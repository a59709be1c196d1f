#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx {

/// The bounds to which Quant clamps, in float32: they need not be integers for a fractional bit width.
struct IntegerRange {
  float min = 0, max = 0;

  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

/// Signed: -2^(bits-1), plus 1 if narrow, to 2^(bits-1) - 1; unsigned: 0 to 2^bits - 1, minus 1 if narrow. Not for one
/// signed bit, which Quant maps to -1 and 1.
IntegerRange integer_range(float bits, bool is_signed, bool is_narrow);

/// Whether Quant outputs -1 or 1, by the sign: one signed bit.
constexpr bool is_bipolar(float bits, bool is_signed) { return bits == 1 && is_signed; }

/// The numbers to which a FloatQuant rounds, before the scale. Each is float32: one number, or several that broadcast
/// to x.
struct FloatFormat {
  Tensor grain;       ///< 2^-mantissa: the step between numbers from 1 to 2
  Tensor least_step;  ///< the step between subnormal numbers
  Tensor highest;
  Tensor beyond;  ///< replaces numbers above `highest`
};

/// The format of a FloatQuant with these parameters, which are float32 and broadcast to each other. Throws Error, with
/// the field, for negative widths, a fractional mantissa width, and saturation=0 without has_inf and has_nan.
FloatFormat float_format(const Node& node, const Tensor& exponent, const Tensor& mantissa, const Tensor& bias,
                         const Tensor& max_val);

/// The part of a Trunc, of either version, after v = half_even(x / scale + zero point): (round(clamp(v / divisor)) -
/// zero_point) * scale. Each parameter is float32: one number, or several that broadcast to x.
struct Truncation {
  Tensor divisor;
  Tensor lowest, highest;    ///< infinite in version 1
  Tensor zero_point, scale;  ///< those of the result
};

/// From its parameters, which are float32 and broadcast to each other.
Truncation truncation_v1(const Tensor& scale, const Tensor& zero_point, const Tensor& in_bits, const Tensor& out_bits);
/// The same for version 2. node: for the attributes signed and narrow.
Truncation truncation_v2(const Node& node, const Tensor& scale, const Tensor& zero_point, const Tensor& out_scale,
                         const Tensor& out_bits);

}  // namespace graft::inline v1::qonnx
