#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Squeeze(x, axes?), or Unsqueeze(x, axes)
// After:   x
//
// x is no graph input, and the result no graph output. Integers of rank 0 or 1, on either side, are shapes and
// positions: theirs stay.

namespace graft::inline v1 {

/// The pass that lets what is within a net keep its rank, once a surgery has made it 4-D. Shapes change by design. In
/// bodies too; functions stay as they are.
Pass remove_intermediary_squeezes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/remove_intermediary_squeezes.ipp>
#endif
