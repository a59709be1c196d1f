#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  x / Pow(ReduceSum(x^2), 0.5)
// After:   LpNormalization(x) {p=2, axis}
//
// x^2 is Pow(x, 2) or Mul(x, x); the root may be Sqrt. The sum is over one axis, which it keeps. Nothing else reads
// what is in between. Values stay except for rows of zeros, which give 0 instead of NaN.

namespace graft::inline v1 {

extern const RuleView pow_reduce_sum_to_lp_norm;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass pow_reduce_sums_to_lp_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/pow_reduce_sum_to_lp_norm.ipp>
#endif
