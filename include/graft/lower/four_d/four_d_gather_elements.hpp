#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  GatherElements(x, i) {axis=a}       i: i64[P,Q,R], or i32
// After:   GatherElements(x, i') {axis=a+1}    i': i64[1,P,Q,R]; a negative axis stays
//
// x is of rank 4, or of unknown rank.
//
// Before:  GatherElements(x, i)                i: i64[], or i32
// After:   GatherElements(x, [i])              x is of rank 1, or of unknown rank
//
// The indices are constant.

namespace graft::inline v1 {

/// The pass that gives constant indices of GatherElements the rank of data that a surgery has made 4-D. Shapes change
/// by design. Indices that other nodes read stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_gather_elements();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_gather_elements.ipp>
#endif
