#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(f(Flatten(Transpose(x, p))), w)       or Reshape; or Gemm, with its bias
// After:   MatMul(f(Flatten(x)), w')                    w': the rows of w, permuted by the inverse of p
//
// Flatten turns [N, ...] into [N, K]: p keeps the first axis, and all other extents are known. f is any number of
// elementwise operators and quantizers, whose other operands have one element and which have no other readers. w is a
// constant, or a quantizer of one, whose parameters are permuted too; Gemm does not transpose its input. Values change
// by the order of the sums; shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies and functions too.
Pass absorb_transposes();

}  // namespace graft::inline v1::qonnx
