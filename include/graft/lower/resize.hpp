#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Resize(x, roi?, scales, sizes?) {axes}
// After:   Resize(x, _, scales', sizes'?)             scales'[axes] = scales, 1 elsewhere
//                                                     sizes'[axes] = sizes, the extents of x elsewhere
//
// The rank of x is known, axes are valid, and constant scales or sizes have one element for each axis. roi is unused:
// coordinate_transformation_mode is not tf_crop_and_resize. With sizes, keep_aspect_ratio_policy is stretch. Resize has
// axes since opset 18. ScatterElements makes scales or sizes that are computed, and sizes beside unknown extents of x.

/// Makes a Resize give the scales or sizes of all axes instead of some, for runtimes whose other rewrites lose the
/// axes. Covers bodies.
Pass resize_all_axes();

}  // namespace graft::inline v1
