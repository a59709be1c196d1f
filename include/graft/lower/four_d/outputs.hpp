#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  y                                     declared as [H,W] or [B,H,W], and 4-D since a surgery
// After:   Squeeze(y, axes)                      other readers keep the 4-D y
//
// Before:  Squeeze(y, other axes), or Clip(Squeeze(y, other axes), ...)
// After:   Squeeze(y, axes), or Clip(Squeeze(y, axes), ...)
//
// axes is [2] for one axis and [0,1] for two; [0,3] if there was a Squeeze before. If their extents are not 1, or do
// not leave the declared shape, axes are the first that fit. If the shape of y cannot be inferred, the axes named first
// apply. An output of another rank stays, and so does one that is known not to be 4-D.

/// Squeezes 4-D outputs to their declared shapes. Outputs keep their names, order and types. Run it after the surgeries
/// of nodes, when shapes can be inferred, but before surgeries of nodes that read a graph output: these then read the
/// 4-D value.
Pass four_d_model_outputs();

}  // namespace graft::inline v1
