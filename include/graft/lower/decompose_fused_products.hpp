#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  com.microsoft::FusedMatMul(a, b) {alpha, transA, transB, transBatchA, transBatchB}
// After:   alpha * MatMul(a', b'), where a' and b' are Transposes of a and b
//
// Before:  com.microsoft::FusedConv(x, w, b, z) {activation, activation_params, ...}
// After:   activation(Conv(x, w, b) {...} + z)
//
// Before:  com.microsoft::FusedGemm(a, b, c) {activation, activation_alpha, activation_beta, ...}
// After:   activation(Gemm(a, b, c) {...})
//
// ONNX Runtime writes these where it saves a model that it has optimized. The operands of FusedMatMul are of a known
// dtype, and of a known rank of 2 or more where they are transposed. The activation is Relu, Tanh, Sigmoid, LeakyRelu,
// HardSigmoid or Clip, or none. The opset is 7 or later: before, Mul does not broadcast. Values stay, to rounding.

namespace graft::inline v1 {

extern const RuleView decompose_fused_matmul;
extern const RuleView decompose_fused_conv;
extern const RuleView decompose_fused_gemm;

/// The pass that does all three everywhere, in bodies too. Types are inferred first. An import of com.microsoft that
/// nothing uses any more goes.
Pass decompose_fused_products();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_fused_products.ipp>
#endif
