#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y                                     declared as [H,W] or [B,H,W], and 4-D since a surgery
// After:   Squeeze(y, axes)                      what else reads y goes on to read what is 4-D
//
// Before:  Squeeze(y, other axes), or Clip(Squeeze(y, other axes), ...)
// After:   Squeeze(y, axes), or Clip(Squeeze(y, axes), ...)
//
// axes: [0,1], or [0,3] of a Squeeze that was there, where two go, and [2] where one goes, if the shape of y is not
// known, or leaves what is declared without them; else the first that do. An output of another rank, or that is no
// longer or not yet 4-D, stays.

namespace graft::inline v1 {

/// The pass that gives the outputs of a net that surgeries have made 4-D the shapes that they are declared with.
/// Outputs keep their names, order and types.
Pass four_d_model_outputs();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_model_outputs.ipp>
#endif
