#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Flatten(x) {axis}
// After:   Reshape(x, [1,1,1,-1])
//
// Whatever the axis; since opset 5, where Reshape has the shape as an input. A batch goes into the last axis.

namespace graft::inline v1 {

/// The pass that replaces Flatten by a Reshape to a row of rank 4. Shapes change by design; the elements and their
/// order do not. Covers bodies, not functions.
Pass flatten_to_reshape();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/flatten_to_reshape.ipp>
#endif
