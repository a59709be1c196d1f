#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  f(Transpose(x, p), c)                        f: elementwise, c: of one element, or constant
// After:   Transpose(f(x, c'), p)                       c': c, permuted by the inverse of p
//
// Before:  f(Transpose(x, p), Transpose(y, p))          Add, Mul, ...; Concat of any number
// After:   Transpose(f(x, y), p)
//
// f may also be
//   Quant, BipolarQuant, FloatQuant, Trunc      parameters broadcast, and are permuted like other constants;
//                                               so are constants behind a quantizer
//   MultiThreshold                              its data_layout follows
//   Concat, Softmax and LogSoftmax (since 13)   the axis follows
//   Pad                                         of constant pads, which are permuted
//   ReduceMean, ReduceSum, ReduceMax, ...       of constant axes; without keepdims what is left of p is behind it, if
//                                               it moves anything
//   GlobalAveragePool                           becomes ReduceMean over the other axes, to rounding
//   Transpose                                   both become one, or none
//
// The first Transpose stays if it has other readers: each reader gets its own Transpose behind it (a fork). Values,
// shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that moves Transposes towards the outputs as far as possible, in bodies and functions too. Its refusals
/// name the nodes that stop them.
Pass sink_transposes();

}  // namespace graft::inline v1::qonnx
