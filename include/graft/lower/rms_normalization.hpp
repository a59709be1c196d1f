#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   RMSNormalization(x, w) {axis, epsilon}          since opset 23
//          x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) * w   before
//
// ONNX Runtime runs SimplifiedLayerNormalization in the main domain, which is no operator of the standard: onnx.checker
// refuses the model. In f32 the runtime makes it itself of the primitives when it loads them. The dtypes are known, and
// the rank unless axis is -1. No other output is used. stash_type is its default. Values stay, to rounding.
extern const RuleView standard_rms_norm;

/// The pass that does so everywhere, in bodies too. Types are inferred first.
Pass standard_rms_norms();

// Before:  x / Sqrt(ReduceMean(x^2) + epsilon) * w
// After:   LpNormalization(x) {p=2, axis=-1} * w'       w' = w * sqrt(N), N the last extent of x
//
// x^2 is Pow(x, 2) or Mul(x, x). The quotient may be x * (1 / Sqrt(...)), with Div or Reciprocal, or x * Pow(...,
// -0.5); it may pass Casts before it is multiplied. Summands and factors stand in any order. The mean is over the last
// axis, of known extent, which it keeps. w is a constant of floats; w' is finite, [sqrt(N)] if all of w is 1, and a new
// constant where others read w. epsilon is one constant of at most 1e-4. Nothing else reads what is in between.
//
// Values change: epsilon is left out. A row of zeros stays one.
extern const RuleView rms_norm_to_l2_norm;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass rms_norms_to_l2_norms();

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) * w
//
// Before:  com.microsoft::SkipSimplifiedLayerNormalization(x, skip, w, bias?) {epsilon}
// After:   the same of sum = x + skip + bias, its fourth output too
//
// RMSNormalization is treated as SimplifiedLayerNormalization, which it is under a later name. The mean is over the
// axes from `axis` on, which it keeps; unless axis is -1, the rank is known. f16 and bf16 are computed in f32, as the
// operators do, with Casts around. The dtypes are known. No other output is used. stash_type is its default. Opset 7 or
// later. Values stay, to rounding.
//
// For runtimes without these operators; at opset 23 and later RMSNormalization would be another way.
extern const RuleView simplified_layer_norm_to_rms_norm;
extern const RuleView skip_simplified_layer_norm_to_rms_norm;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass simplified_layer_norms_to_rms_norms();

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   LpNormalization(x) {p=2, axis=-1} * w'       w' = w * sqrt(N), N the last extent of x
//
// Before:  com.microsoft::SkipSimplifiedLayerNormalization(x, skip, w, bias?) {epsilon}
// After:   LpNormalization(sum) {p=2, axis=-1} * w'     sum = x + skip + bias, its fourth output too
//
// RMSNormalization is treated as SimplifiedLayerNormalization, which it is under a later name. axis is the last, of
// known extent. w is a constant of the dtype of x; w' is finite, [sqrt(N)] if all of w is 1, and a new constant where
// others read w. epsilon is at most 1e-4. No other output is used. Opset 7 or later.
//
// Values change: epsilon is left out. A row of zeros stays one.
extern const RuleView simplified_layer_norm_to_l2_norm;
extern const RuleView skip_simplified_layer_norm_to_l2_norm;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass simplified_layer_norms_to_l2_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/rms_normalization.ipp>
#endif
