#pragma once
#include <cstddef>
#include <string_view>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// The axis of a MultiThreshold's channels in an input of this rank: where its data_layout has its C, else 1. Without a
/// data_layout it is 1, but 2 of three axes. Throws Error if the layout has another rank.
std::size_t threshold_axis(const Node& node, std::size_t rank);

/// MultiThreshold(x, thresholds): y = out_scale * n + out_bias, where n is how many thresholds of the element's channel
/// are not above it: 0 for NaN. The thresholds are [channels, steps], or [1, steps] for all channels, in any order.
/// Throws Error if they do not fit.
void multi_threshold_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/kernels/multi_threshold.ipp>
#endif
