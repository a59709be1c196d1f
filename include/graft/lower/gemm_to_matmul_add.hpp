#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Gemm(x, y, addend?) {alpha, beta, transA, transB}
// After:   Add(MatMul(x', y') * alpha, addend * beta)     x', y': transposed where Gemm says so; constants are
//                                                         transposed here, others by a Transpose
//
// Where alpha or beta is 1, its product is left out; where it is not, x is of floats, of known dtype. Opset 7 or later.
//
// Before:  Reshape(Gemm(Reshape(x), y, addend?) {alpha, beta, transB})
// After:   Add(MatMul(x, y') * alpha, addend * beta)
//
// x is [..., K], the result [..., N] with the same extents in front, known or by symbol; one may be open, for it
// follows from the others, which are taken not to be 0. Where x has more axes, such as heads and their size, a Reshape
// joins them to K. Both Reshapes may be Flatten, Squeeze or Unsqueeze. addend is of rank 1 at most, or has one row.
// transA is 0. Nothing else reads what is in between. With transB, only Gemms that have it, too, read a constant y:
// otherwise y and its transpose would both be stored.
//
// Values stay, to rounding where alpha or beta is not 1. New constants, never edits of one that others read.

namespace graft::inline v1 {

extern const RuleView gemm_to_matmul_add;
extern const RuleView reshaped_gemm_to_matmul_add;

/// The pass that does both everywhere, in bodies too. Types are inferred first.
Pass gemms_to_matmul_adds();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/gemm_to_matmul_add.ipp>
#endif
