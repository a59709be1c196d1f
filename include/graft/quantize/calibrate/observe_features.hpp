#pragma once
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/feature_moments.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Whether a node multiplies the features of its first input, which is not constant, by a constant matrix: MatMul with
/// an f32 weight [features, outputs], and Gemm without transA. The weight is not empty, and alpha of Gemm not 0.
bool multiplies_features(const Node& node);

/// The inputs of these nodes, each once.
std::vector<const Value*> feature_inputs(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the moments of these inputs, a
/// Statistics<FeatureMoments>, to the passes behind it.
Pass observe_feature_moments(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe_features.ipp>
#endif
