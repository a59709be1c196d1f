#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  LpNormalization(x) {axis=a}
// After:   LpNormalization(x) {axis=-1}
//
// The axis is given and not -1; x is of rank 4, or of unknown rank.

namespace graft::inline v1 {

/// The pass that normalizes along the last axis of data that a surgery has made 4-D. Values change by design. Covers
/// bodies, not functions.
Pass four_d_lp_normalization();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_lp_normalization.ipp>
#endif
