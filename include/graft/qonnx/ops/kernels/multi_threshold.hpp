#pragma once
#include <cstddef>
#include <string_view>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// The axis of a MultiThreshold's channels for an input of this rank: that of C in its data_layout. Without a
/// data_layout it is 1, but 2 for rank 3. Throws Error if the layout has another rank.
std::size_t threshold_axis(const Node& node, std::size_t rank);

/// MultiThreshold(x, thresholds): y = out_scale * n + out_bias, where n is the number of thresholds of the element's
/// channel that are at most the element: 0 for NaN. The thresholds are [channels, steps], or [1, steps] for all
/// channels, in any order. Throws Error if they do not fit.
void multi_threshold_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx
