#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Quant(x, s, z, b)                            s constant, positive, not 1
// After:   Mul(Quant(Div(x, s), 1, z, b), s)            the output of Quant is integers; a constant x is
//                                                       divided here. The same bits.
//
// BipolarQuant and Trunc of five inputs likewise, and DequantizeLinear(q, s, z): Mul(DequantizeLinear(q, 1, z), s).
//
// Before:  f(Mul(q, s))                                 q of integers, s constant
// After:   Mul(f(q), s')                                f on integers, too
//
// where f is
//   MatMul, Gemm, Conv             s of one element, or of weights one for each output channel; a bias is added behind
//   Add, Sub, Concat, Max, Min     of operands with the same s, of one element (Max, Min: positive)
//   Mul by a constant              the constants become one
//   ReduceSum, ReduceMean, AveragePool, GlobalAveragePool        s of one element, or for pools one for each channel
//   Relu, LeakyRelu, MaxPool       positive s; for MaxPool as for pools
//   Reshape, Flatten, Squeeze, Unsqueeze, Slice, Gather, Pad by 0, Identity, Expand, Tile, Transpose     s of one
//                                  element; Transpose any s
//
// A value holds integers if it is a constant of integers, or the output of a quantizer of scale 1 with an integer zero
// point. So do outputs of MatMul, Conv, Add, Sub, Mul, ReduceSum, Relu, MaxPool or movement of integers. The Mul stays
// for its other readers. Values change by rounding: products are rounded at another place. Sums of integers below 2^24
// are exact. Shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that moves scales behind integer computations as far as possible, in bodies and functions too. Its refusals
/// name the nodes that stop a scale.
Pass dequantize_down();

}  // namespace graft::inline v1::qonnx
