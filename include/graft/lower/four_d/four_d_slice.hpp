#pragma once
#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  Slice(x, starts, ends, [a], steps?)
// After:   Slice(x, starts, ends, [-1], steps?)
//
// a is one of the axes that the pass is given, counted from the front, and constant. x is of rank 4 now, or its rank
// cannot be told.

namespace graft::inline v1 {

/// The pass that lets a Slice along the last axis of a matrix (1), or of rank 3 (2), go along the last of what a
/// surgery has made 4-D. Give {2} if a net slices rank 3 along the axis in the middle. Values and shapes change by
/// design. Axes that others read stay, and this node gets its own. In bodies too; functions stay as they are.
Pass four_d_slice(Ints axes = {1, 2});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_slice.ipp>
#endif
