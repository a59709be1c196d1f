#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   RMSNormalization(x, w) {axis, epsilon}          since opset 23
//          x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) * w   before
//
// ONNX Runtime runs SimplifiedLayerNormalization in the main domain. It is not an operator of the standard, so
// onnx.checker rejects the model. In f32, the runtime itself makes it from the primitives while loading. The dtypes are
// known, and the rank is known unless axis is -1. No other output is used. stash_type is the default. Values stay, to
// rounding.
extern const RuleView standard_rms_norm;

/// Applies the rule everywhere, bodies included, and infers types first.
Pass standard_rms_norms();

// Before:  x / Sqrt(ReduceMean(x^2) + epsilon) * w
// After:   LpNormalization(x) {p=2, axis=-1} * w'       w' = w * sqrt(N), N the last extent of x
//
// x^2 is Pow(x, 2) or Mul(x, x). The quotient may be x * (1 / Sqrt(...)), with Div or Reciprocal, or x * Pow(...,
// -0.5); Casts may follow it. Summands and factors may have any order. The mean is over the last axis, of known extent,
// and keeps it. w is a constant float. w' is finite, and [sqrt(N)] if w is all ones; it is a new constant if w has
// other readers. epsilon is one constant of at most 1e-4. Nothing else reads the values between.
//
// Values change, because epsilon is omitted. A row of zeros stays so.
extern const RuleView rms_norm_to_l2_norm;

/// Applies the rule everywhere, bodies included, and infers types first.
Pass rms_norms_to_l2_norms();

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) * w
//
// Before:  com.microsoft::SkipSimplifiedLayerNormalization(x, skip, w, bias?) {epsilon}
// After:   the same with sum = x + skip + bias for x; sum is the fourth output, too
//
// The rules treat RMSNormalization, the later name, as SimplifiedLayerNormalization. The mean is over the axes from
// `axis` on, and keeps them; the rank is known unless axis is -1. f16 and bf16 are computed in f32, as in the
// operators, with Casts around. The dtypes are known. No other output is used. stash_type is the default. Opset 7 or
// later. Values stay, to rounding.
//
// For runtimes without these operators. Since opset 23, RMSNormalization is an alternative.
extern const RuleView simplified_layer_norm_to_rms_norm;
extern const RuleView skip_simplified_layer_norm_to_rms_norm;

/// Applies both rules everywhere, bodies included, and infers types first. Removes the import of com.microsoft if
/// nothing uses it then.
Pass simplified_layer_norms_to_rms_norms();

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   LpNormalization(x) {p=2, axis=-1} * w'       w' = w * sqrt(N), N the last extent of x
//
// Before:  com.microsoft::SkipSimplifiedLayerNormalization(x, skip, w, bias?) {epsilon}
// After:   LpNormalization(sum) {p=2, axis=-1} * w'     sum = x + skip + bias, which is the fourth output, too
//
// The rules treat RMSNormalization, the later name, as SimplifiedLayerNormalization. axis is the last one, of known
// extent. w is a constant of the dtype of x. w' is finite, and [sqrt(N)] if w is all ones; it is a new constant if w
// has other readers. epsilon is at most 1e-4. No other output is used. Opset 7 or later.
//
// Values change, because epsilon is omitted. A row of zeros stays so.
extern const RuleView simplified_layer_norm_to_l2_norm;
extern const RuleView skip_simplified_layer_norm_to_l2_norm;

/// Applies both rules everywhere, bodies included, and infers types first. Removes the import of com.microsoft if
/// nothing uses it then.
Pass simplified_layer_norms_to_l2_norms();

}  // namespace graft::inline v1
