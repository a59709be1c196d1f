#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  com.microsoft::FusedConv(x, w, b, z) {activation, activation_params, ...}
// After:   activation(Conv(x, w, b) {...} + z)
//
// The operands are of a known dtype. The activation is Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid or Clip, or none.
// The opset is 7 or later. Values stay, to rounding.
extern const RuleView decompose_fused_conv;

// Before:  com.microsoft::FusedGemm(a, b, c) {activation, activation_alpha, activation_beta, ...}
// After:   activation(Gemm(a, b, c) {...})
//
// The operands are of a known dtype. The activation is Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid or Clip, or none.
// The opset is 7 or later: before, Gemm does not broadcast. Values stay, to rounding.
extern const RuleView decompose_fused_gemm;

// Before:  com.microsoft::FusedMatMul(a, b) {alpha, transA, transB, transBatchA, transBatchB}
// After:   alpha * MatMul(a', b'), where a' and b' are Transposes of a and b
//
// An alpha below 1 is multiplied to an operand, to b if that is constant, else to a: the product alone might exceed the
// dtype. The operands are of a known dtype, and of a known rank of 2 or more where they are transposed. The opset is 7
// or later: before, Mul does not broadcast. Values stay, to rounding.
extern const RuleView decompose_fused_matmul;

/// The pass that takes apart the products that ONNX Runtime writes where it saves a model that it has optimized:
/// FusedMatMul, FusedConv and FusedGemm of com.microsoft, everywhere, in bodies too. Types are inferred first. An
/// import of com.microsoft that nothing uses any more goes.
Pass decompose_fused_products();

/// The fused operators of transformers become primitives of the main domain, for runtimes without them: embeddings,
/// attention, normalizations, Gelus, rotary embeddings. What transformer_fusions() makes, this takes apart. Types are
/// inferred first. Values stay, to rounding. What a rule refuses stays; the header of each says what that is.
Pass decompose_fused_operators();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/fused_operators.ipp>
#endif
