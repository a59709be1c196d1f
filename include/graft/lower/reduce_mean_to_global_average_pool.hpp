#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  ReduceMean(x, axes) {keepdims}
// After:   GlobalAveragePool(x)                        keepdims is 1
//          Flatten(GlobalAveragePool(x)) {axis=1}      keepdims is 0
//
// x is f32 or f16, of known rank, 4 or 5, which runtimes have pools for; axes are all but the first two, in any order
// and from either end.
// Over the last of 3 axes it may be the mean of a layer normalization, which runtimes find by its ReduceMean.

namespace graft::inline v1 {

extern const RuleView reduce_mean_to_flat_average;
extern const RuleView reduce_mean_to_global_average_pool;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/reduce_mean_to_global_average_pool.ipp>
#endif
