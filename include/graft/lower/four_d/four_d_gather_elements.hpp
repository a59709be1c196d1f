#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  GatherElements(x, i) {axis=a}       i: i64[P,Q,R], or i32
// After:   GatherElements(x, i') {axis=a+1}    i': i64[1,P,Q,R]; a negative axis stays
//
// x is of rank 4 now, or its rank cannot be told.
//
// Before:  GatherElements(x, i)                i: i64[], or i32
// After:   GatherElements(x, [i])
//
// The indices are constant.

namespace graft::inline v1 {

/// The pass that gives constant indices of GatherElements the rank of what a surgery has made 4-D. Shapes change by
/// design. Indices that others read stay, and this node gets its own. In bodies too; functions stay as they are.
Pass four_d_gather_elements();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_gather_elements.ipp>
#endif
