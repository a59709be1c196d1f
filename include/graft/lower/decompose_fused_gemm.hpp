#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  com.microsoft::FusedGemm(a, b, c) {activation, activation_alpha, activation_beta, ...}
// After:   activation(Gemm(a, b, c) {...})
//
// The operands are of a known dtype. The activation is Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid or Clip, or none.
// The opset is 7 or later: before, Gemm does not broadcast. Values stay, to rounding.

namespace graft::inline v1 {

extern const RuleView decompose_fused_gemm;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_fused_gemm.ipp>
#endif
