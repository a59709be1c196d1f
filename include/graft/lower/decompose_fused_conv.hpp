#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  com.microsoft::FusedConv(x, w, b, z) {activation, activation_params, ...}
// After:   activation(Conv(x, w, b) {...} + z)
//
// The operands are of a known dtype. The activation is Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid or Clip, or none.
// The opset is 7 or later. Values stay, to rounding.

namespace graft::inline v1 {

extern const RuleView decompose_fused_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_fused_conv.ipp>
#endif
