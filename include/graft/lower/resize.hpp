#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Resize(x, roi?, scales, sizes?) {axes}
// After:   Resize(x, _, scales', sizes'?)             scales'[axes] = scales, 1 elsewhere
//                                                     sizes'[axes] = sizes, the extents of x elsewhere
//
// The rank of x is known, axes are within it, and the scales or sizes, if constant, are one for each. Nothing reads
// roi: coordinate_transformation_mode is not tf_crop_and_resize. With sizes, keep_aspect_ratio_policy is stretch. ONNX
// Resize since version 18, which brought the axes; where scales or sizes are computed, or extents of x unknown beside
// sizes, ScatterElements makes them.

/// The pass that lets a Resize name the scales or sizes of all axes instead of some, for runtimes whose other rewrites
/// lose track of the axes. In bodies too.
Pass resize_all_axes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/resize.ipp>
#endif
