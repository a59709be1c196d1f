#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Gemm(x, w, b?) {alpha}
// After:   Gemm(x, alpha * w, b?) {alpha=1}
//
// w is a constant of a float dtype, which nothing else reads: a copy would be stored beside it. alpha is neither 0 nor
// 1, and alpha * w is finite in the dtype of w. Opset 7 or later.
//
// Values stay, to rounding where alpha is no power of two. Integer kernels may take no alpha, or none beside a bias.
extern const RuleView gemm_alpha_into_weight;

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
extern const RuleView gemm_to_matmul_add;
extern const RuleView reshaped_gemm_to_matmul_add;

/// The pass that does both everywhere, in bodies too. Types are inferred first.
Pass gemms_to_matmul_adds();

// Before:  Relu(Add(MatMul(x, y), addend))     in either order
// After:   Reshape(Relu(Gemm(Reshape(x, [-1, K]), y, addend)), [..., N])
//
// x, y and addend as for batched_matmul_add_to_gemm. Values stay.
extern const RuleView batched_matmul_add_relu_to_gemm;

/// The pass that makes a Gemm of every product and its addend, in bodies too: by this rule and by those of
/// matmul_add_to_gemm.hpp. Types are inferred first.
Pass matmul_adds_to_gemms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/gemm.ipp>
#endif
