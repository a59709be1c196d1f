#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  ReduceMean(x, axes) {keepdims=1}
// After:   GlobalAveragePool(x)
//
// x is f32 or f16, of known rank 4 or 5: runtimes have pools for these. axes are all except the first two, in any order
// and counted from either end. A mean over the last of 3 axes may be part of a layer normalization, which runtimes
// recognize by its ReduceMean.
extern const RuleView reduce_mean_to_global_average_pool;

// Before:  ReduceMean(x, axes) {keepdims=0}
// After:   Flatten(GlobalAveragePool(x)) {axis=1}
//
// The conditions are as above.
extern const RuleView reduce_mean_to_flat_average;

// Before:  x / Pow(ReduceSum(x^2), 0.5)
// After:   LpNormalization(x) {p=2, axis}
//
// x^2 is Pow(x, 2) or Mul(x, x), and the root may be Sqrt. The sum is over one axis, and keeps it. Nothing else reads
// the values between. Values stay, except that rows of zeros give 0 instead of NaN.
extern const RuleView pow_reduce_sum_to_lp_norm;

/// Applies the rule everywhere, bodies included, and infers types first.
Pass pow_reduce_sums_to_lp_norms();

}  // namespace graft::inline v1
