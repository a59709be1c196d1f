#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  x / Sqrt(ReduceMean(x^2) + epsilon) * w
// After:   LpNormalization(x) {p=2, axis=-1} * w'       w' = w * sqrt(N), N the last extent of x
//
// x^2 is Pow(x, 2) or Mul(x, x). The quotient may be x * (1 / Sqrt(...)), with Div or Reciprocal, or x * Pow(...,
// -0.5); it may pass Casts before it is multiplied. Summands and factors stand in any order. The mean is over the last
// axis, of known extent, which it keeps. w is a constant of floats; w' is finite, [sqrt(N)] if all of w is 1, and a new
// constant where others read w. epsilon is one constant of at most 1e-4. Nothing else reads what is in between.
//
// Values change: epsilon is left out. A row of zeros stays one.

namespace graft::inline v1 {

extern const RuleView rms_norm_to_l2_norm;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass rms_norms_to_l2_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/rms_norm_to_l2_norm.ipp>
#endif
