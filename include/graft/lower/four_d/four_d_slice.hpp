#pragma once
#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  Slice(x, starts, ends, [a], steps?)
// After:   Slice(x, starts, ends, [-1], steps?)
//
// a is one of the axes that the pass is given, counted from the front, and constant. x is of rank 4, or of unknown
// rank.

namespace graft::inline v1 {

/// The pass that moves a Slice along the last axis of a matrix (1), or of rank 3 (2), to the last axis of data that a
/// surgery has made 4-D. Pass {2} if the net slices rank 3 along its middle axis. Values and shapes change by design.
/// Axes that other nodes read stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_slice(Ints axes = {1, 2});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_slice.ipp>
#endif
