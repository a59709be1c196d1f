#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  com.microsoft::FusedConv(x, w, b, z) {activation, activation_params, ...}
// After:   activation(Conv(x, w, b) {...} + z)
//
// The dtype of the operands is known. The activation is absent or one of Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid
// and Clip. Opset 7 or later. Values stay, to rounding.
extern const RuleView decompose_fused_conv;

// Before:  com.microsoft::FusedGemm(a, b, c) {activation, activation_alpha, activation_beta, ...}
// After:   activation(Gemm(a, b, c) {...})
//
// The dtype of the operands is known. The activation is absent or one of Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid
// and Clip. Opset 7 or later: earlier Gemm does not broadcast. Values stay, to rounding.
extern const RuleView decompose_fused_gemm;

// Before:  com.microsoft::FusedMatMul(a, b) {alpha, transA, transB, transBatchA, transBatchB}
// After:   alpha * MatMul(a', b'), where a' and b' are Transposes of a and b
//
// An alpha below 1 multiplies an operand, because the product alone might exceed the dtype: b if it is constant, else
// a. The dtype of the operands is known. A transposed operand has a known rank of 2 or more. Opset 7 or later: earlier
// Mul does not broadcast. Values stay, to rounding.
extern const RuleView decompose_fused_matmul;

/// Decomposes the products that ONNX Runtime writes when it saves an optimized model: FusedMatMul, FusedConv and
/// FusedGemm of com.microsoft. Covers bodies, and infers types first. Removes the import of com.microsoft if nothing
/// uses it then.
Pass decompose_fused_products();

/// Decomposes fused operators of transformers into primitives of the main domain, for runtimes without them:
/// embeddings, attention, normalizations, Gelus, rotary embeddings. It undoes transformer_fusions(). Infers types
/// first. Values stay, to rounding. Nodes that a rule rejects stay; the header of each rule lists its conditions.
Pass decompose_fused_operators();

}  // namespace graft::inline v1
