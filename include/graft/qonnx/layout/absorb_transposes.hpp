#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(f(Flatten(Transpose(x, p))), w)       or Reshape; or Gemm, with its bias
// After:   MatMul(f(Flatten(x)), w')                    w': the rows of w in the order that p takes back
//
// Flatten makes [N, K] of [N, ...]: p leaves the first axis where it is, and all extents but that one are known. f is
// any number of elementwise operators, quantizers among them, whose other operands are of one element and which
// nothing else reads. w is a constant, or a quantizer of one whose parameters are put in order, too; Gemm does not
// transpose its input. Values change by the order in which products are summed; shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies and functions too.
Pass absorb_transposes();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/layout/absorb_transposes.ipp>
#endif
