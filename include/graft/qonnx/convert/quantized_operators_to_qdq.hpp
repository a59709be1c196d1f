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
// - Scales and zero points are constant. They are one for a tensor; or, from opset 13 on, one for each output channel
//   of a weight, and for each row of what QLinearMatMul reads.
// - channels_last is 0.
//
// A tensor that several operators read gets one DequantizeLinear for each pair of q-params of one number; with an axis,
// each reader gets its own. What else reads integers, such as Clip, Reshape or MaxPool, stays. Values change by a step
// of sy at most, where what is rounded lies next to a tie: each operator rounds floats of its own.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies too. A node that stays reports why.
Pass quantized_operators_to_qdq();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/quantized_operators_to_qdq.ipp>
#endif
