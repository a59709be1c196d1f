#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  ReduceMean(x, axes) {keepdims}
// After:   GlobalAveragePool(x)                        keepdims is 1
//          Flatten(GlobalAveragePool(x)) {axis=1}      keepdims is 0
//
// x is f32 or f16, of known rank, 4 or 5, which runtimes have pools for; axes are all but the first two, in any order
// and from either end.
// Over the last of 3 axes it may be the mean of a layer normalization, which runtimes find by its ReduceMean.
extern const RuleView reduce_mean_to_flat_average;
extern const RuleView reduce_mean_to_global_average_pool;

// Before:  x / Pow(ReduceSum(x^2), 0.5)
// After:   LpNormalization(x) {p=2, axis}
//
// x^2 is Pow(x, 2) or Mul(x, x); the root may be Sqrt. The sum is over one axis, which it keeps. Nothing else reads
// what is in between. Values stay except for rows of zeros, which give 0 instead of NaN.
extern const RuleView pow_reduce_sum_to_lp_norm;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass pow_reduce_sums_to_lp_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/reduce.ipp>
#endif
