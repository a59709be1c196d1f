#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Squeeze(x, axes?), or Unsqueeze(x, axes)
// After:   x
//
// x is no graph input, and the result no graph output. Those of integers of rank 0 or 1, on either side, stay: they are
// shapes and positions.

namespace graft::inline v1 {

/// The pass that removes Squeeze and Unsqueeze within a net that surgeries make 4-D. Shapes change by design. Covers
/// bodies, not functions.
Pass remove_intermediary_squeezes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/remove_intermediary_squeezes.ipp>
#endif
