#pragma once
#include <graft/qonnx/convert/integer_options.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

struct QuantToQdqOptions {
  /// Stores integers of at most 4 bits as int4 or uint4 from opset 21 on, and those of 2 bits as int2 or uint2 from
  /// opset 25 on. This applies to constants, whose files become smaller, and to other tensors whose range is that of
  /// the dtype.
  bool narrow_types = false;
  /// Inserts a Clip between the integers of a constant and their DequantizeLinear, which keeps the bit width for the
  /// way back. Not with quant_to_qdq().
  bool clip_constants = false;
  /// Converts nodes without such a form to float operators with the same results: Div, Add, Clip, rounding, Sub, Mul.
  /// This includes Trunc and FloatQuant with constant parameters. Rounding to even needs opset 11; BipolarQuant and
  /// Quant of 1 signed bit need opset 12.
  bool lower_rest = false;
  /// Other zero points are skipped, or lowered.
  ZeroPoints zero_points = ZeroPoints::even;
};

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   q = QuantizeLinear(x, s, z), c = Clip(q, lowest, highest), y = DequantizeLinear(c, s, z)
//
// The parameters are constant float32. s and z are scalars, or one number for each index of an axis of x: the only axis
// along which the parameters vary, aligned with x from the right. Scales are positive and finite. z is of the integer
// dtype of 8 bits, from opset 21 on of 16, that has the sign of the Quant and holds its integers and the zero points.
// The bit width may be a fraction: clamping to min and max and then rounding equals rounding and then clamping to
// rint(min) and rint(max). The bounds apply after the zero point is added; the zero point itself may be outside. There
// is not a Clip if the bounds are those of the dtype. DequantizeLinear needs opset 10, Clip 12 and an axis 13.
//
// Rounding is to the nearest, ties to even, the bit width is one number, and the options accept the zero points. Then y
// is the same, except for the sign of 0 and for NaN.
//
// Before:  y = Quant(w, scale, zero_point, bits)     w is constant; or BipolarQuant(w, scale)
// After:   y = DequantizeLinear(q, s, z)             q is constant
//
// The integers of w are computed as by Quant, for any rounding mode and bit widths. q has 8 bits if these suffice for
// the bit width. Otherwise it has 32 bits and no zero point, like biases, or 16 bits from opset 21 on if w has two or
// more axes.

/// The pass that converts Quant, IntQuant and BipolarQuant nodes in all scopes to QCDQ. Skipped nodes report the reason
/// as a refusal. Conversions that are not exact for all x, by ZeroPoints, are noted. Infers types first. Removes unused
/// imports of QONNX's domains. Run raise_opset() and freeze_inputs() first to convert more nodes.
Pass quant_to_qcdq(const QuantToQdqOptions& options = {});

/// The same without Clip: nodes that need one are skipped.
Pass quant_to_qdq(const QuantToQdqOptions& options = {});

}  // namespace graft::inline v1::qonnx
