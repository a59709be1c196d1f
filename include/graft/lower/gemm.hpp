#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Gemm(x, w, b?) {alpha}
// After:   Gemm(x, alpha * w, b?) {alpha=1}
//
// w is a constant of a float dtype without other readers: else a copy would be stored beside it. alpha is neither 0 nor
// 1, and alpha * w is finite in the dtype of w. Opset 7 or later.
//
// Values stay; if alpha is not a power of two, to rounding. Integer kernels may not support alpha, or not beside a
// bias.
extern const RuleView gemm_alpha_into_weight;

// Before:  Gemm(x, y, addend?) {alpha, beta, transA, transB}
// After:   Add(MatMul(x', y') * alpha, addend * beta)     x', y': transposed as Gemm requires; constants are transposed
//                                                         here, others by a Transpose
//
// Products by an alpha or beta of 1 are omitted. With another alpha or beta, x is a float of known dtype. Opset 7 or
// later. Values stay, to rounding if alpha or beta is not 1. New values are new constants; shared ones stay.
extern const RuleView gemm_to_matmul_add;

// Before:  Reshape(Gemm(Reshape(x), y, addend?) {alpha, beta, transB})
// After:   Add(MatMul(x, y') * alpha, addend * beta)
//
// x is [..., K], the result is [..., N] with the same extents in front, as numbers or symbols. One extent may be
// unknown, because it follows from the others; the rule assumes that these are not 0. If x has more axes, such as heads
// and their size, a Reshape joins them to K. Both Reshapes may be Flatten, Squeeze or Unsqueeze.
//
// addend has rank 1 at most, or one row. transA is 0. Nothing else reads the values between. With transB, all readers
// of a constant y are Gemms with transB: else y and its transpose would both be stored. Other conditions are those of
// gemm_to_matmul_add.
extern const RuleView reshaped_gemm_to_matmul_add;

/// Applies both rules everywhere, bodies included, and infers types first.
Pass gemms_to_matmul_adds();

// Before:  Relu(Add(MatMul(x, y), addend))     in either order
// After:   Reshape(Relu(Gemm(Reshape(x, [-1, K]), y, addend)), [..., N])
//
// x, y and addend are as batched_matmul_add_to_gemm requires. Values stay.
extern const RuleView batched_matmul_add_relu_to_gemm;

/// Turns every product and its addend into a Gemm, in bodies too: by this rule, matmul_add_to_gemm and
/// batched_matmul_add_to_gemm. Infers types first.
Pass matmul_adds_to_gemms();

}  // namespace graft::inline v1
