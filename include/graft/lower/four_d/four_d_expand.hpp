#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Expand(x, [a,b,c])
// After:   Expand(x, [1,a,b,c])
//
// The shape is constant.

namespace graft::inline v1 {

/// The pass that makes Expand return rank 4 instead of rank 3. Shapes change by design. Shapes that other nodes read
/// stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_expand();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_expand.ipp>
#endif
