#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/detail/tensor_pairs.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The noise that quantization adds to a tensor.
struct TensorNoise {
  std::string tensor;
  std::string node;         ///< its producer; empty for an input of the graph
  double decibels = 0;      ///< signal-to-noise ratio
  Range floats, quantized;  ///< the ranges of its values
};

/// The tensors and layers where a quantized graph loses accuracy.
struct Analysis {
  static constexpr std::string_view fact_name = "analysis", fact_maker = "analyze";

  std::vector<TensorNoise> tensors;  ///< the worst first
  Fidelity outputs;                  ///< of the quantized graph
  std::vector<LayerEffect> layers;   ///< the worst first
};

namespace detail {

/// As analyze(), of these pairs of tensors. outputs: the measured outputs of the quantized graph; nullptr for those
/// that it lacks.
Analysis analyze_graphs(const Graph& floats, const Graph& quantized, const std::vector<TensorPair>& pairs,
                        const MeasuredOutputs& measured, const std::vector<const Value*>& outputs,
                        const SampleSource& samples, const ExecutorFactory& make_executor,
                        const Context& context = {});

}  // namespace detail

/// Runs a graph and its quantized form on samples, which are any range of Feeds or Sample. Returns the noise of each
/// float32 tensor that both have by name, and of the outputs, which must be the same in both. Analyzes no layers.
///
/// The quantized graph is fed with the selections of the float graph, so that it has the same rows. A quantized tensor
/// counts as its readers see it, dequantized. Sums are float64, over all samples; all tensors of one sample are in
/// memory at the same time. The float graph must be the one that was quantized: equalizing weights, for example,
/// changes tensors. Tensors whose dims differ, because they depend on values, are left out. Throws Error if there is no
/// sample.
template <class Samples>
Analysis analyze(const Graph& floats, const Graph& quantized, Samples&& samples,
                 const ExecutorFactory& make_executor = {}) {
  const detail::MeasuredOutputs measured(floats);
  return detail::analyze_graphs(floats, quantized, detail::tensor_pairs(floats, quantized), measured,
                                measured.in_quantized(quantized), detail::borrowed(samples), make_executor);
}

/// The pass that provides an Analysis: the tensors and layers where the next passes, those of `quantize`, will lose
/// accuracy. It does not change the graph. It quantizes copies with the present facts, so that ranges are found once.
/// It keeps layers in float as exclude_nodes() does; the other choices stay fixed, even if min_cost would now find that
/// a layer does not pay.
///
/// First it quantizes each layer alone, measures it on trials.samples, and ranks layers by the signal-to-noise ratio of
/// the outputs. The ranking assumes that the noise of layers is additive. Then it turns layers back to float in this
/// order, each alone, and all so far together. These are three runs of the samples for each layer, so the samples must
/// be a vector, or another range that can be traversed again. make_executor(graph) makes the executor of a graph, with
/// any number of threads. The notes count nodes without a name, which are not tried. Commits the model, unless it is a
/// view.
Pass analyze(const Pass& quantize, SampleSource samples, LayerTrialOptions trials = {},
             ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
