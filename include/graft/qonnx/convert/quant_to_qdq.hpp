#pragma once
#include <graft/qonnx/convert/integer_options.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

struct QuantToQdqOptions {
  /// Integers of at most 4 bits are int4 or uint4 from opset 21 on, those of 2 bits int2 or uint2 from opset 25 on:
  /// constants, which then take as little room in files, and others where the range is that of the dtype.
  bool narrow_types = false;
  /// A Clip between the integers of a constant and their DequantizeLinear keeps the bit width for the way back. Not
  /// with quant_to_qdq().
  bool clip_constants = false;
  /// What has no such form becomes float operators that compute the same: Div, Add, Clip, rounding, Sub, Mul. So do
  /// Trunc and FloatQuant if their parameters are constant. Rounding to even needs opset 11, BipolarQuant and Quant of
  /// 1 signed bit need opset 12.
  bool lower_rest = false;
  /// Others are declined, or lowered.
  ZeroPoints zero_points = ZeroPoints::even;
};

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   q = QuantizeLinear(x, s, z), c = Clip(q, lowest, highest), y = DequantizeLinear(c, s, z)
//
// The parameters are constant float32. s and z are scalars, or one number for each index of an axis of x: the only axis
// along which the parameters vary, aligned with x from the right. Scales are positive and finite. z is of the integer
// dtype of 8 bits, from opset 21 on of 16, that has the sign of the Quant and holds its integers and the zero points.
// The bit width may be a fraction: to clamp to min and max and then to round is to round and then to clamp to rint(min)
// and rint(max). The bounds apply after the zero point is added; the zero point itself may lie outside them. There is
// no Clip where they are those of the dtype. DequantizeLinear needs opset 10, Clip 12 and an axis 13.
//
// Rounding is to the nearest, ties to even, the bit width is one number, and the zero points are those that the options
// take. Then y is the same, except for the sign of 0 and for NaN.
//
// Before:  y = Quant(w, scale, zero_point, bits)     w is constant; or BipolarQuant(w, scale)
// After:   y = DequantizeLinear(q, s, z)             q is constant
//
// The integers of w are computed as Quant computes them, whatever the rounding and the widths. q has 8 bits where these
// suffice for the bit width. Else it has 32 bits and no zero point, as biases have, or 16 from opset 21 on if w has two
// axes or more.

/// The pass that converts Quant, IntQuant and BipolarQuant nodes in all scopes to QCDQ. Each one is converted, or
/// stays, with the reason as a refusal. Conversions that are not exact for all x, by ZeroPoints, are noted. Types are
/// inferred first. Imports of QONNX's domains that nothing uses any more go. After raise_opset() and freeze_inputs()
/// more nodes convert.
Pass quant_to_qcdq(const QuantToQdqOptions& options = {});

/// The same without Clip: what would need one is declined.
Pass quant_to_qdq(const QuantToQdqOptions& options = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/quant_to_qdq.ipp>
#endif
