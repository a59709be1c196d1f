#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y = Conv(x, w)           x: [N,C,L], w: [M,C,K]
// After:   y = Conv(x, w')          x: [N,C,L,1], w': [M,C,K,1]
//
// Every computed value of rank 3 of the main graph gets a last extent of 1, including inputs and outputs of the graph,
// and defaults of inputs. The elements and their order stay the same. Producers and readers of these values must be
//   elementwise operators and quantizers         constants are reshaped
//   Conv, ConvTranspose, pools                   weights and attributes get one more extent
//   BatchNormalization, global pools, Dropout, MultiThreshold of channels in the second place or of one row
//   Transpose, Concat, Softmax (since 13), Pad, Flatten, reductions that keep dims
//   Reshape, Unsqueeze                           of constant targets and axes
//   Squeeze                                      to rank 2
//   Resize, Upsample                             of constant scales or sizes
//
// If another node produces or reads such a value, or a body reads one, the graph is not changed.

namespace graft::inline v1::qonnx {

/// The pass that does this, for tools that support images only. Its refusal, which is a note as well, names the node
/// that prevents it.
Pass to_4d();

}  // namespace graft::inline v1::qonnx
