#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/ranges.hpp>

namespace graft::inline v1 {

/// The values of channel_values() around every Conv and Gemm with a weight so large that a few steps of the quantized
/// input cover the range of the output. Most models have none, so zero_dead_channels() with these is cheap.
std::vector<const Value*> values_around_huge_weights(const Graph& graph, const Ranges& ranges);

}  // namespace graft::inline v1
