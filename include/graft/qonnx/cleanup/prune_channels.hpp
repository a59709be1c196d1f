#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  y = Conv(f(Conv(x, v, a)), w, b)
// After:   y = Conv(f(Conv(x, v', a')), w', b)          v', a': without some output channels; w': without these inputs
//
// f is what keeps channels apart: elementwise operators, quantizers and BatchNormalization, whose constants lose the
// same channels; MultiThreshold; pools; Transpose; Pad that pads no channels; Flatten and Reshape of all but the first
// axis; reductions over other axes; Concat; depthwise Conv, which loses the channels, too. What is computed of several
// values, as a residual Add is, loses the channels that any of them is to lose, and all that makes these values does.
// In the end MatMul, Gemm or Conv, whose weight is a constant or a quantizer of one, takes in less.
//
// Values change: they are what they would be if w were 0 for the channels that are gone. Shapes of inner values change,
// the signature does not.

namespace graft::inline v1::qonnx {

/// Output channels to remove, counted from 0, by the name of the weight or, behind a quantizer, of the constant or of
/// what is made of it.
using ChannelMasks = std::map<std::string, std::set<std::int64_t>>;

/// The pass that removes channels from the main graph. A weight whose channels cannot all be followed to where they end
/// keeps them, and a note says why: an output of the graph, an operator that mixes channels, groups. Throws Error, with
/// the graph as it was, for a name of no weight, a channel that it does not have, and if none would be left.
Pass prune_channels(ChannelMasks masks);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/prune_channels.ipp>
#endif
