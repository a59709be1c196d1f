#pragma once
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// What every MatMul and Gemm of the main graph multiplies by a constant float32 matrix, each once; none that a Gemm
/// transposes.
std::vector<const Value*> product_inputs(const Graph& graph);

/// The pass that runs the graph on samples as calibrate() does, and provides the Gram matrices of product_inputs(), a
/// Statistics<GramMatrix>, to quantize_weights_blockwise(). Each takes 8 K^2 bytes, and as much for each thread.
Pass observe_gram_matrices(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe_gram_matrices.ipp>
#endif
