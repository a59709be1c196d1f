#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  y = Conv(f(Conv(x, v, a)), w, b)
// After:   y = Conv(f(Conv(x, v', a')), w', b)          v', a': without some output channels; w': without these inputs
//
// f consists of nodes that do not mix channels: elementwise operators, quantizers and BatchNormalization, whose
// constants lose the same channels; MultiThreshold; pools; Transpose; Pad that pads no channels; Flatten and Reshape of
// all but the first axis; reductions over other axes; Concat; depthwise Conv, which loses the channels too. A node with
// several such inputs, for example a residual Add, loses the channels of each of them, and so do the producers of all
// its inputs. At the end, the weight of MatMul, Gemm or Conv, a constant or a quantizer of one, loses the input
// channels.
//
// Values change to those of the original model with w set to 0 for the removed channels. Shapes of inner values change,
// the signature does not.

namespace graft::inline v1::qonnx {

/// The output channels to remove, counted from 0, by the name of the weight. Behind a quantizer, this is the name of
/// the constant or of the quantizer's output.
using ChannelMasks = std::map<std::string, std::set<std::int64_t>>;

/// The pass that removes channels from the main graph. If a weight's channels cannot all be followed to their end, it
/// keeps them, and a note gives the reason: an output of the graph, an operator that mixes channels, groups. Throws
/// Error, without changing the graph, for a name that is not a weight, a channel that it does not have, and if no
/// channel would remain.
Pass prune_channels(ChannelMasks masks);

}  // namespace graft::inline v1::qonnx
