#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Reshape(x, [a,b,c])
// After:   Reshape(x, s)            s: [a,b,c] with a 1 in front of its first entry that is not 0:
//                                   [-1,512,768] becomes [1,-1,512,768], [0,0,-1] becomes [0,0,1,-1]
//
// Before:  Reshape(x, [0,0,0])      without allowzero: the shape that x has
// After:   Reshape(x, [0,0,0,0])
//
// The shape is constant. Where it has a 0, x is of rank 4, or of unknown rank: the 0 means an extent of x as it is now.

namespace graft::inline v1 {

/// The pass that makes Reshape return rank 4 instead of rank 3. Shapes change by design; the elements and their order
/// do not. Shapes that other nodes read stay as they are; the node gets its own. Covers bodies, not functions.
Pass four_d_reshape();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_reshape.ipp>
#endif
