#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  ReduceSum(x, [1]) {keepdims}
// After:   ReduceSum(x, [2]) {keepdims=1}
//
// Before:  ReduceSum(x, axes?) {keepdims=0}        of other axes
// After:   ReduceSum(x, axes?) {keepdims=1}
//
// Axes that move are constant; x is of rank 4 now, or its rank cannot be told. One that sums over nothing
// (noop_with_empty_axes) stays.

namespace graft::inline v1 {

/// The pass that lets ReduceSum keep the rank of what a surgery has made 4-D, and sum over axis 2 where it summed over
/// the axis in the middle of rank 3. Values and shapes change by design. Axes that others read stay, and this node gets
/// its own. In bodies too; functions stay as they are.
Pass four_d_reduce_sum();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_reduce_sum.ipp>
#endif
