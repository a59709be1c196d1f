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

/// The activation that is the only reader of a value, in the same scope; nullptr if there is none.
const Node* sole_activation(const Value& value);

}  // namespace detail

/// The values by which biases are corrected: the inputs of every Conv and Gemm, each once.
std::vector<const Value*> channel_inputs(const Graph& graph);

/// These inputs, and the outputs of every Conv and Gemm, before and behind an activation.
std::vector<const Value*> channel_values(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the means of the input channels of every
/// Conv and Gemm, a Statistics<ChannelMeans>.
Pass observe_channel_means(SampleSource samples, ExecutorFactory make_executor = {});

/// The pass that provides the least and greatest values in the channels around every Conv and Gemm, a
/// Statistics<ChannelExtremes>. It runs the graph as calibrate() does.
Pass observe_channel_extremes(SampleSource samples, ExecutorFactory make_executor = {});

/// Whether a node multiplies the features of a variable first input by a constant matrix: MatMul with an f32 weight
/// [features, outputs], or Gemm without transA. The weight must not be empty, and alpha of Gemm must not be 0.
bool multiplies_features(const Node& node);

/// The inputs of these nodes, each once.
std::vector<const Value*> feature_inputs(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the moments of these inputs, a
/// Statistics<FeatureMoments>.
Pass observe_feature_moments(SampleSource samples, ExecutorFactory make_executor = {});

/// The tensors that MatMul and Gemm of the main graph multiply by a constant float32 matrix, each once. Leaves out
/// those that a Gemm transposes.
std::vector<const Value*> product_inputs(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the Gram matrices of product_inputs(), a
/// Statistics<GramMatrix>, for quantize_weights_blockwise(). Each takes 8 K^2 bytes, and as much again for each thread.
Pass observe_gram_matrices(SampleSource samples, ExecutorFactory make_executor = {});

/// The pass that runs the graph on samples as calibrate() does, and provides histograms of its tensors, a
/// Statistics<Histogram>.
Pass observe_histograms(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
