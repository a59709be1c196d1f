#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Quant(x, s, z, b)                            s constant, positive, not 1
// After:   Mul(Quant(Div(x, s), 1, z, b), s)            what comes out of the Quant are integers; a constant x is
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
// A value is of integers if a quantizer of scale 1 makes it, whose zero point is an integer, if it is a constant of
// such, or if MatMul, Conv, Add, Sub, Mul, ReduceSum, Relu, MaxPool or movement make it of such. The Mul stays for
// others that read it. Values change by rounding: products are rounded at another place. Sums of integers below 2^24
// are exact. Shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that lets integers flow as far as they can, for what computes with them: in bodies and functions too. Its
/// refusals say where scales stop.
Pass dequantize_down();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/dequantize_down.ipp>
#endif
