#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Gather(x, i) {axis=1}
// After:   Gather(x, i) {axis=2}
//
// Before:  Gather(x, i) {axis}           i: i64[], or i32[]
// After:   Gather(x, [i]) {axis}         a Reshape makes [i] of an i that is not constant
//
// Both where both hold. x is of rank 4 now, or its rank cannot be told; i is of rank 0 or 1.

namespace graft::inline v1 {

/// The pass that lets Gather keep the rank of what a surgery has made 4-D, and take from axis 2 what it took from the
/// axis in the middle of rank 3. Values and shapes change by design. Indices that others read stay, and this node gets
/// its own. In bodies too; functions stay as they are.
Pass four_d_gather();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_gather.ipp>
#endif
