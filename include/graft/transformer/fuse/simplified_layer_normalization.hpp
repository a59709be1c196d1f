#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

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

namespace graft::inline v1 {

extern const RuleView bare_simplified_layer_normalization;
extern const RuleView bare_rms_normalization;
extern const RuleView rms_to_simplified_layer_normalization;

/// The pass that makes SimplifiedLayerNormalization of all that means it, if the runtime has it, or RMSNormalization
/// if it has that alone. fuse_layer_normalizations() goes first: a LayerNormalization is one of these over x - mean.
/// Types are inferred first.
Pass fuse_simplified_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/simplified_layer_normalization.ipp>
#endif
