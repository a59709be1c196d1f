#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  d / Sqrt(ReduceMean(d^2) + epsilon)          d = x - ReduceMean(x)
// After:   LayerNormalization(x, ones) {axis, epsilon}  since opset 17
//
// The spellings are those of layer_normalization in <graft/simplify/normalization.hpp>. x is f32, f16 or bf16, epsilon
// is a constant of one element. Both means are over the same last axes, of known extents, and keep them. The rules of
// normalization_operands.hpp add the scale and the bias that follow.
extern const RuleView bare_layer_normalization;

// Before:  x * s + (b - ReduceMean(x) * s)              s = w / Sqrt(ReduceMean(d^2) + epsilon)
// After:   LayerNormalization(x, w, b) {axis, epsilon}
//
// TensorFlow writes this form. The inverse root may have any of these spellings. w and b are constants with the
// normalized extents.
extern const RuleView folded_layer_normalization;

/// Turns layer normalizations in primitives into LayerNormalization, with scale and bias, if the runtime has it. Raises
/// the opset to 17 if necessary. Infers types first.
Pass fuse_layer_normalizations(const FusedOperators& runtime);

// Before:  x / Sqrt(ReduceMean(x^2) + epsilon)
// After:   SimplifiedLayerNormalization(x, ones) {axis, epsilon}   by bare_simplified_layer_normalization
//          RMSNormalization(x, ones) {axis, epsilon}               by bare_rms_normalization, since opset 23
//
// x^2 is Pow(x, 2) or Mul(x, x). The quotient may be a product with 1 / Sqrt(...), Reciprocal(Sqrt(...)) or Pow(...,
// -0.5). The mean is over the last axes, of known extents, and keeps them. epsilon is a constant of one element. x is
// f32 or f16; for RMSNormalization also bf16. The rules of normalization_operands.hpp add the scale that follows, and
// remove Casts around both.
//
// Before:  RMSNormalization(x, w)
// After:   SimplifiedLayerNormalization(x, w)                      by rms_to_simplified_layer_normalization
//
// SimplifiedLayerNormalization is ONNX Runtime's name for it, at any opset, for f32 and f16. It is not in the standard:
// onnx.checker rejects it, and fused_operators::ort_cpu does not ask for it.
extern const RuleView bare_simplified_layer_normalization;
extern const RuleView bare_rms_normalization;
extern const RuleView rms_to_simplified_layer_normalization;

/// Turns every form of it into SimplifiedLayerNormalization, if the runtime has it, or else into RMSNormalization. Run
/// fuse_layer_normalizations() first: a LayerNormalization contains this form, over x - mean. Infers types first.
Pass fuse_simplified_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1
