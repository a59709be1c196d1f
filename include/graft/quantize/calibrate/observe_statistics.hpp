#pragma once
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
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

/// Whether a node multiplies the features of its first input, which is not constant, by a constant matrix: MatMul with
/// an f32 weight [features, outputs], and Gemm without transA. The weight is not empty, and alpha of Gemm not 0.
bool multiplies_features(const Node& node);

/// The inputs of these nodes, each once.
std::vector<const Value*> feature_inputs(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the moments of these inputs, a
/// Statistics<FeatureMoments>, to the passes behind it.
Pass observe_feature_moments(SampleSource samples, ExecutorFactory make_executor = {});

/// What every MatMul and Gemm of the main graph multiplies by a constant float32 matrix, each once; none that a Gemm
/// transposes.
std::vector<const Value*> product_inputs(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the Gram matrices of product_inputs(), a
/// Statistics<GramMatrix>, to quantize_weights_blockwise(). Each takes 8 K^2 bytes, and as much for each thread.
Pass observe_gram_matrices(SampleSource samples, ExecutorFactory make_executor = {});

/// The pass that runs the graph on samples as calibrate() does, and provides histograms of its tensors, a
/// Statistics<Histogram>, to the passes behind it.
Pass observe_histograms(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe_statistics.ipp>
#endif
