#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/rounding_mode.hpp>

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

/// The mode of an attribute rounding_mode, in upper or lower case; nullopt if the name is unknown.
std::optional<RoundingMode> rounding_mode(std::string_view name);

/// The name of the mode as QONNX spells it: "ROUND" for half_even.
std::string_view to_string(RoundingMode mode);
std::ostream& operator<<(std::ostream& out, RoundingMode mode);

/// Rounds in float32 arithmetic, as QONNX does: half_up is sign(x) * floor(|x| + 0.5), so the float below 0.5 gives 1.
/// NaN and infinities stay, and results of 0 have the sign of x.
float round(float x, RoundingMode mode);

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

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/formats.ipp>
#endif
