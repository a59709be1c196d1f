#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  a row of Reshape, Transpose, Squeeze, Unsqueeze, Flatten, Gather, Slice, Split and Identity, a Transpose
//          among them, that makes y: [N, D, ...] of x: [N, C, ...]
// After:   y = Gather(x, channels) {axis=1}        or x itself, if these are all of its channels in their order
//
// The row moves nothing but whole channels: x to [N, g, C/g, H, W], transposed and reshaped back, with or without a
// Split behind; or to [N C/g, g, H W], transposed, and a Gather of each group. C is known; the batch and images may be
// symbolic. What is taken, and from where, is constant, and x is not. Behind the Transpose nothing but such rows reads
// what is not [N, D, ...]: else the Transpose would run beside the Gather.
//
// For runtimes that compute convolutions in another layout. ONNX Runtime 1.24 moves that layout up and down through a
// Split along the channels, where it copies some bytes of each pixel; a Gather copies whole channels.

/// The pass that makes one Gather of each channel shuffle, or one for each part of it that is taken. In bodies too.
Pass channel_shuffles_to_gathers();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/channel_shuffle.ipp>
#endif
