#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Gather(x, i) {axis=1}
// After:   Gather(x, i) {axis=2}
//
// Before:  Gather(x, i) {axis}           i: i64[], or i32[]
// After:   Gather(x, [i]) {axis}         a Reshape makes [i] of an i that is not constant
//
// Both where both hold. x is of rank 4, or of unknown rank; i is of rank 0 or 1.

namespace graft::inline v1 {

/// The pass that adapts Gather to data that a surgery has made 4-D: it keeps the rank, and takes from axis 2 what it
/// took from the middle axis of rank 3. Values and shapes change by design. Indices that other nodes read stay as they
/// are; the node gets its own. Covers bodies, not functions.
Pass four_d_gather();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_gather.ipp>
#endif
