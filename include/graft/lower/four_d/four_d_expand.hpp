#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Expand(x, [a,b,c])
// After:   Expand(x, [1,a,b,c])
//
// The shape is constant.

namespace graft::inline v1 {

/// The pass that makes the results of rank 3 of Expand those of rank 4. Shapes change by design. A shape that others
/// read, such as a Reshape, stays, and this node gets its own. In bodies too; functions stay as they are.
Pass four_d_expand();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_expand.ipp>
#endif
