#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

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

namespace graft::inline v1 {

extern const RuleView simplified_layer_norm_to_l2_norm;
extern const RuleView skip_simplified_layer_norm_to_l2_norm;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass simplified_layer_norms_to_l2_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/simplified_layer_norm_to_l2_norm.ipp>
#endif
