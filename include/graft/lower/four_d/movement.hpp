#pragma once
#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Flatten(x) {axis}
// After:   Reshape(x, [1,1,1,-1])
//
// Whatever the axis; since opset 5, where Reshape has the shape as an input. A batch goes into the last axis.

/// The pass that replaces Flatten by a Reshape to a row of rank 4. Shapes change by design; the elements and their
/// order do not. Covers bodies, not functions.
Pass flatten_to_reshape();

// Before:  Reshape(x, [a,b,c])
// After:   Reshape(x, s)            s: [a,b,c] with a 1 in front of its first entry that is not 0:
//                                   [-1,512,768] becomes [1,-1,512,768], [0,0,-1] becomes [0,0,1,-1]
//
// Before:  Reshape(x, [0,0,0])      without allowzero: the shape that x has
// After:   Reshape(x, [0,0,0,0])
//
// The shape is constant. Where it has a 0, x is of rank 4, or of unknown rank: the 0 means an extent of x as it is now.

/// The pass that makes Reshape return rank 4 instead of rank 3. Shapes change by design; the elements and their order
/// do not. Shapes that other nodes read stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_reshape();

// Before:  Expand(x, [a,b,c])
// After:   Expand(x, [1,a,b,c])
//
// The shape is constant.

/// The pass that makes Expand return rank 4 instead of rank 3. Shapes change by design. Shapes that other nodes read
/// stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_expand();

// Before:  Gather(x, i) {axis=1}
// After:   Gather(x, i) {axis=2}
//
// Before:  Gather(x, i) {axis}           i: i64[], or i32[]
// After:   Gather(x, [i]) {axis}         a Reshape makes [i] of an i that is not constant
//
// Both where both hold. x is of rank 4, or of unknown rank; i is of rank 0 or 1.

/// The pass that adapts Gather to data that a surgery has made 4-D: it keeps the rank, and takes from axis 2 what it
/// took from the middle axis of rank 3. Values and shapes change by design. Indices that other nodes read stay as they
/// are; the node gets its own. Covers bodies, not functions.
Pass four_d_gather();

// Before:  GatherElements(x, i) {axis=a}       i: i64[P,Q,R], or i32
// After:   GatherElements(x, i') {axis=a+1}    i': i64[1,P,Q,R]; a negative axis stays
//
// x is of rank 4, or of unknown rank.
//
// Before:  GatherElements(x, i)                i: i64[], or i32
// After:   GatherElements(x, [i])              x is of rank 1, or of unknown rank
//
// The indices are constant.

/// The pass that gives constant indices of GatherElements the rank of data that a surgery has made 4-D. Shapes change
/// by design. Indices that other nodes read stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_gather_elements();

// Before:  Slice(x, starts, ends, [a], steps?)
// After:   Slice(x, starts, ends, [-1], steps?)
//
// a is one of the axes that the pass is given, counted from the front, and constant. x is of rank 4, or of unknown
// rank.

/// The pass that moves a Slice along the last axis of a matrix (1), or of rank 3 (2), to the last axis of data that a
/// surgery has made 4-D. Pass {2} if the net slices rank 3 along its middle axis. Values and shapes change by design.
/// Axes that other nodes read stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_slice(Ints axes = {1, 2});

// Before:  Transpose(x) {perm=[p,q]}
// After:   Transpose(x) {perm=[0,1,p+2,q+2]}
//
// Before:  Transpose(x) {perm=[p,q,r]}
// After:   Transpose(x) {perm=[0,p+1,q+1,r+1]}
//
// x is of rank 4, or of unknown rank; perm is given.

/// The pass that adapts a Transpose of a matrix, or of rank 3, to data that a surgery has made 4-D: it permutes the
/// last axes as before. Values and shapes change by design. Covers bodies, not functions.
Pass four_d_transpose();

// Before:  Squeeze(x, axes?), or Unsqueeze(x, axes)
// After:   x
//
// x is no graph input, and the result no graph output. Those of integers of rank 0 or 1, on either side, stay: they are
// shapes and positions.

/// The pass that removes Squeeze and Unsqueeze within a net that surgeries make 4-D. Shapes change by design. Covers
/// bodies, not functions.
Pass remove_intermediary_squeezes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/movement.ipp>
#endif
