#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/ranges.hpp>

namespace graft::inline v1 {

/// Of the channel_values() those around every Conv and Gemm with a weight so great that the quantized input says next
/// to nothing of what it makes. Most models have none: it is cheap to have zero_dead_channels() look at these.
std::vector<const Value*> values_around_huge_weights(const Graph& graph, const Ranges& ranges);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/huge_weights.ipp>
#endif
