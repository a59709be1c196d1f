#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Transpose(x) {perm=[p,q]}
// After:   Transpose(x) {perm=[0,1,p+2,q+2]}
//
// Before:  Transpose(x) {perm=[p,q,r]}
// After:   Transpose(x) {perm=[0,p+1,q+1,r+1]}
//
// x is of rank 4 now, or its rank cannot be told; perm is given.

namespace graft::inline v1 {

/// The pass that lets a Transpose of matrices, or of rank 3, move the same axes, counted from the end, of what a
/// surgery has made 4-D. Values and shapes change by design. In bodies too; functions stay as they are.
Pass four_d_transpose();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_transpose.ipp>
#endif
