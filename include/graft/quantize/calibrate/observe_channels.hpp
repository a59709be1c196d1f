#pragma once
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>
#include <graft/quantize/calibrate/statistics/channel_means.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

/// The activation that alone reads a value, in the same scope; nullptr if there is none.
const Node* sole_activation(const Value& value);

}  // namespace detail

/// What the biases of a graph are corrected by: the inputs of its Conv and Gemm, each once.
std::vector<const Value*> channel_inputs(const Graph& graph);

/// Those, and what Conv and Gemm make, before and behind an activation.
std::vector<const Value*> channel_values(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the means of the input channels of every
/// Conv and Gemm, a Statistics<ChannelMeans>, to the passes behind it.
Pass observe_channel_means(SampleSource samples, ExecutorFactory make_executor = {});

/// The same of the least and greatest values in the channels around every Conv and Gemm, a
/// Statistics<ChannelExtremes>.
Pass observe_channel_extremes(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe_channels.ipp>
#endif
