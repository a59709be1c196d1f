#pragma once
#include <graft/qonnx/convert/zero_points.hpp>

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

}  // namespace graft::inline v1::qonnx
