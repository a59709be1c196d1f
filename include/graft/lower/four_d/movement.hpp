#pragma once
#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Flatten(x) {axis}
// After:   Reshape(x, [1,1,1,-1])
//
// Any axis. Opset 5 or later, since which the shape of Reshape is an input. A batch goes into the last axis.

/// Replaces Flatten by a Reshape to a row of rank 4. Shapes change by design; the elements and their order stay. Covers
/// bodies, not functions.
Pass flatten_to_reshape();

// Before:  Reshape(x, [a,b,c])
// After:   Reshape(x, s)            s: [a,b,c] with a 1 in front of its first entry that is not 0:
//                                   [-1,512,768] becomes [1,-1,512,768], [0,0,-1] becomes [0,0,1,-1]
//
// Before:  Reshape(x, [0,0,0])      without allowzero: keeps the shape of x
// After:   Reshape(x, [0,0,0,0])
//
// The shape is constant. If it has a 0, x has rank 4 or unknown rank: the 0 means an extent of x as it is now.

/// Makes Reshape return rank 4 instead of rank 3. Shapes change by design; the elements and their order stay. A shape
/// with other readers stays; the node gets its own copy. Covers bodies, not functions.
Pass four_d_reshape();

// Before:  Expand(x, [a,b,c])
// After:   Expand(x, [1,a,b,c])
//
// The shape is constant.

/// Makes Expand return rank 4 instead of rank 3. Shapes change by design. A shape with other readers stays; the node
/// gets its own copy. Covers bodies, not functions.
Pass four_d_expand();

// Before:  Gather(x, i) {axis=1}
// After:   Gather(x, i) {axis=2}
//
// Before:  Gather(x, i) {axis}           i: i64[], or i32[]
// After:   Gather(x, [i]) {axis}         a Reshape makes [i] of an i that is not constant
//
// Both apply if both match. x has rank 4 or unknown rank; i has rank 0 or 1.

/// Adapts Gather to data that a surgery has made 4-D. It keeps the rank, and gathers from axis 2 instead of the middle
/// axis of rank 3. Values and shapes change by design. Indices with other readers stay; the node gets its own copy.
/// Covers bodies, not functions.
Pass four_d_gather();

// Before:  GatherElements(x, i) {axis=a}       i: i64[P,Q,R], or i32
// After:   GatherElements(x, i') {axis=a+1}    i': i64[1,P,Q,R]; a negative axis stays
//
// x has rank 4 or unknown rank.
//
// Before:  GatherElements(x, i)                i: i64[], or i32
// After:   GatherElements(x, [i])              x has rank 1 or unknown rank
//
// The indices are constant.

/// Gives constant indices of GatherElements the rank of data that a surgery has made 4-D. Shapes change by design.
/// Indices with other readers stay; the node gets its own copy. Covers bodies, not functions.
Pass four_d_gather_elements();

// Before:  Slice(x, starts, ends, [a], steps?)
// After:   Slice(x, starts, ends, [-1], steps?)
//
// a is constant, counted from the front, and one of the axes given to the pass. x has rank 4 or unknown rank.

/// Moves a Slice to the last axis of data that a surgery has made 4-D: by default from axis 1 and axis 2, the last axes
/// of ranks 2 and 3. Pass {2} if the net slices rank 3 along its middle axis. Values and shapes change by design. Axes
/// with other readers stay; the node gets its own copy. Covers bodies, not functions.
Pass four_d_slice(Ints axes = {1, 2});

// Before:  Transpose(x) {perm=[p,q]}
// After:   Transpose(x) {perm=[0,1,p+2,q+2]}
//
// Before:  Transpose(x) {perm=[p,q,r]}
// After:   Transpose(x) {perm=[0,p+1,q+1,r+1]}
//
// x has rank 4 or unknown rank; perm is given.

/// Adapts a Transpose of rank 2 or 3 to data that a surgery has made 4-D: it permutes the last axes as before. Values
/// and shapes change by design. Covers bodies, not functions.
Pass four_d_transpose();

// Before:  Squeeze(x, axes?), or Unsqueeze(x, axes)
// After:   x
//
// x is not a graph input, and the result is not a graph output. Nodes with integers of rank 0 or 1 on either side stay:
// these are shapes and positions.

/// Removes Squeeze and Unsqueeze within a net that surgeries make 4-D. Shapes change by design. Covers bodies, not
/// functions.
Pass remove_intermediary_squeezes();

}  // namespace graft::inline v1
