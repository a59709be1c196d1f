#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Relu(Add(MatMul(x, y), addend))     in either order
// After:   Reshape(Relu(Gemm(Reshape(x, [-1, K]), y, addend)), [..., N])
//
// x, y and addend as for batched_matmul_add_to_gemm. Values stay.

namespace graft::inline v1 {

extern const RuleView batched_matmul_add_relu_to_gemm;

/// The pass that makes a Gemm of every product and its addend, in bodies too: by this rule and by those of
/// matmul_add_to_gemm.hpp. Types are inferred first.
Pass matmul_adds_to_gemms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/batched_matmul_add_relu_to_gemm.ipp>
#endif
