#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

// Before:  d / Sqrt(ReduceMean(d^2) + epsilon)          d = x - ReduceMean(x)
// After:   LayerNormalization(x, ones) {axis, epsilon}  since opset 17
//
// The spellings are those of <graft/simplify/normalization.hpp>. x is f32, f16 or bf16, epsilon one constant
// element. Both means are over the same last axes, of known extents, which they keep. What follows, scale and bias, is
// taken in by the rules of normalization_operands.hpp.
//
// Before:  x * s + (b - ReduceMean(x) * s)              s = w / Sqrt(ReduceMean(d^2) + epsilon)
// After:   LayerNormalization(x, w, b) {axis, epsilon}  by folded_layer_normalization: TensorFlow's way to write it
//
// The root is an inverse in one of its spellings. w and b are constants of the extents that are normalized.
extern const RuleView bare_layer_normalization;
extern const RuleView folded_layer_normalization;

/// The pass that makes LayerNormalization of all that is written in primitives, with scale and bias, if the runtime has
/// it. The opset is raised to 17 where that is needed. Types are inferred first.
Pass fuse_layer_normalizations(const FusedOperators& runtime);

// Before:  x / Sqrt(ReduceMean(x^2) + epsilon)
// After:   SimplifiedLayerNormalization(x, ones) {axis, epsilon}   by bare_simplified_layer_normalization
//          RMSNormalization(x, ones) {axis, epsilon}               by bare_rms_normalization, since opset 23
//
// x^2 is Pow(x, 2) or Mul(x, x); the quotient may be a product with 1 / Sqrt(...), Reciprocal(Sqrt(...)) or
// Pow(..., -0.5). The mean is over the last axes, of known extents, which it keeps. epsilon is one constant element.
// x is f32 or f16; for RMSNormalization bf16 too. The scale that follows, and Casts around both, are taken in by the
// rules of normalization_operands.hpp.
//
// Before:  RMSNormalization(x, w)
// After:   SimplifiedLayerNormalization(x, w)                      by rms_to_simplified_layer_normalization
//
// That is ONNX Runtime's name for it, at any opset; it reads f32 and f16. It is not in the standard: onnx.checker
// refuses it, and fused_operators::ort_cpu does not ask for it.
extern const RuleView bare_simplified_layer_normalization;
extern const RuleView bare_rms_normalization;
extern const RuleView rms_to_simplified_layer_normalization;

/// The pass that makes SimplifiedLayerNormalization of all that means it, if the runtime has it, or RMSNormalization
/// if it has that alone. fuse_layer_normalizations() goes first: a LayerNormalization is one of these over x - mean.
/// Types are inferred first.
Pass fuse_simplified_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/layer_normalization.ipp>
#endif
