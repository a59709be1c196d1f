#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

// Before:  d / Sqrt(ReduceMean(d^2) + epsilon)          d = x - ReduceMean(x)
// After:   LayerNormalization(x, ones) {axis, epsilon}  since opset 17
//
// The spellings are those of <graft/simplify/fuse/layer_normalization.hpp>. x is f32, f16 or bf16, epsilon one constant
// element. Both means are over the same last axes, of known extents, which they keep. What follows, scale and bias, is
// taken in by the rules of normalization_operands.hpp.
//
// Before:  x * s + (b - ReduceMean(x) * s)              s = w / Sqrt(ReduceMean(d^2) + epsilon)
// After:   LayerNormalization(x, w, b) {axis, epsilon}  by folded_layer_normalization: TensorFlow's way to write it
//
// The root is an inverse in one of its spellings. w and b are constants of the extents that are normalized.

namespace graft::inline v1 {

extern const RuleView bare_layer_normalization;
extern const RuleView folded_layer_normalization;

/// The pass that makes LayerNormalization of all that is written in primitives, with scale and bias, if the runtime has
/// it. The opset is raised to 17 where that is needed. Types are inferred first.
Pass fuse_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/layer_normalization.ipp>
#endif
