#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  a chain of Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Gather, Slice, Split and Identity, with at least
//          one Transpose, from x: [N, C, ...] to y: [N, D, ...]
// After:   y = Gather(x, channels) {axis=1}        or x itself, if these are all of its channels in their order
//
// The chain moves whole channels only. It reshapes x to [N, g, C/g, H, W], transposes it and reshapes it back, with or
// without a Split behind. Or it reshapes x to [N C/g, g, H W], transposes it, and gathers each group. C is known; the
// batch and spatial extents may be symbolic. Indices are constant, and x is not. Values after the Transpose that are
// not [N, D, ...] have no readers outside such chains; else the Transpose would run beside the Gather.
//
// For runtimes that compute convolutions in another layout. ONNX Runtime 1.24 moves that layout up and down through a
// Split along the channels, where it copies a few bytes of each pixel; a Gather copies whole channels.

/// Replaces each channel shuffle by one Gather, or by one for each part that is read, in bodies too.
Pass channel_shuffles_to_gathers();

}  // namespace graft::inline v1
