#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  ReduceSum(x, [1]) {keepdims}
// After:   ReduceSum(x, [2]) {keepdims=1}
//
// Before:  ReduceSum(x, axes?) {keepdims=0}        of other axes
// After:   ReduceSum(x, axes?) {keepdims=1}
//
// Axes that move are constant; x is of rank 4, or of unknown rank. One that sums over nothing (noop_with_empty_axes)
// stays.

namespace graft::inline v1 {

/// The pass that adapts ReduceSum to data that a surgery has made 4-D: it keeps the rank, and a sum over the middle
/// axis of rank 3 becomes one over axis 2. Values and shapes change by design. Axes that other nodes read stay as they
/// are; the node gets its own. Covers bodies, not functions.
Pass four_d_reduce_sum();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_reduce_sum.ipp>
#endif
