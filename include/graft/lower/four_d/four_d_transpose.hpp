#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Transpose(x) {perm=[p,q]}
// After:   Transpose(x) {perm=[0,1,p+2,q+2]}
//
// Before:  Transpose(x) {perm=[p,q,r]}
// After:   Transpose(x) {perm=[0,p+1,q+1,r+1]}
//
// x is of rank 4, or of unknown rank; perm is given.

namespace graft::inline v1 {

/// The pass that adapts a Transpose of a matrix, or of rank 3, to data that a surgery has made 4-D: it permutes the
/// last axes as before. Values and shapes change by design. Covers bodies, not functions.
Pass four_d_transpose();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_transpose.ipp>
#endif
