#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  y                                     declared as [H,W] or [B,H,W], and 4-D since a surgery
// After:   Squeeze(y, axes)                      what else reads y goes on to read what is 4-D
//
// Before:  Squeeze(y, other axes), or Clip(Squeeze(y, other axes), ...)
// After:   Squeeze(y, axes), or Clip(Squeeze(y, axes), ...)
//
// axes: [0,1], or [0,3] of a Squeeze that was there, where two go, and [2] where one goes. Where these are not of
// extent 1, or do not leave what is declared: the first that are, and do. Where the shape of y cannot be told, the
// former. An output of another rank, or that is known not to be 4-D, stays.

/// The pass that squeezes 4-D outputs to the shapes that they are declared with. Outputs keep their names, order and
/// types. Run it after the surgeries of nodes, when shapes can be inferred, but before those of nodes that read an
/// output of the graph: these then read the 4-D value.
Pass four_d_model_outputs();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/outputs.ipp>
#endif
