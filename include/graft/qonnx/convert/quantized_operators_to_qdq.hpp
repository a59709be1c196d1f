#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  QLinearConv(x, sx, zx, w, sw, zw, sy, zy, b)
// After:   QuantizeLinear(Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), DequantizeLinear(b, sx * sw)),
//                         sy, zy)
//
// Likewise QLinearMatMul and, of com.microsoft, QLinearConv, QGemm (to Gemm; without a scale of the result to Gemm
// alone), QLinearAdd, QLinearMul, QLinearAveragePool, QLinearGlobalAveragePool, QLinearConcat, QLinearSigmoid and
// QLinearLeakyRelu.
//
// - Scales and zero points are constant. A tensor has one; or, from opset 13 on, one for each output channel of a
//   weight, and for each row of an input of QLinearMatMul.
// - channels_last is 0.
//
// A tensor with several readers gets one DequantizeLinear for each pair of q-params of one number; with an axis, each
// reader gets its own. Other nodes that read integers, such as Clip, Reshape or MaxPool, stay. Values change by a step
// of sy at most, for sums next to a tie, because the operators round different floats.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies too. A skipped node reports the reason.
Pass quantized_operators_to_qdq();

}  // namespace graft::inline v1::qonnx
