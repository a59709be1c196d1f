#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/tune/detail/layer_ranking.hpp>
#include <graft/quantize/tune/detail/requantizer.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// A quantized copy.
struct TrialResult {
  Fidelity fidelity;
  std::size_t pairs = 0;      ///< QuantizeLinear and DynamicQuantizeLinear nodes that the graph does not have
  bool is_quantized = false;  ///< whether it has such nodes, or weight-only products that the graph does not have
};

/// Compares a graph with quantized copies of it. Each copy runs on all samples. The results of the graph itself are
/// kept.
class TrialRuns {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// Runs the graph on the first `most` samples. Throws Error if there is none.
  TrialRuns(const Graph& graph, const Pass& quantize, SampleSource samples, std::size_t most,
            ExecutorFactory make_executor, const Context& context);

  /// The copy that the passes make with these layers in float.
  Model quantized(const Names& in_float) const { return requantizer_.quantized(in_float); }
  const MeasuredOutputs& measured() const { return requantizer_.measured(); }
  /// Measures that copy, or the copy in which the products among these layers have another form: dynamic, weight-only.
  /// Stops early if the remaining samples cannot raise the cosine to least_cosine.
  TrialResult measure(const Names& turned_back, ProductForm products = ProductForm::in_float,
                      double least_cosine = -1) const;
  /// The fidelity of a copy that other passes quantize.
  Fidelity measure(const Pass& quantize) const;
  /// The fidelity, on the first `most` samples, of a copy with these layers in float, and no others that would then no
  /// longer pay.
  Fidelity effect(const Names& in_float, std::size_t most) const;

  /// The effect of each candidate if it alone is quantized, and all other layers are in float; the worst first. The
  /// opposite, with it alone in float, ranks worse, because the noise of one bad layer hides the effect of others. A
  /// node with which nothing is quantized is not a layer, unless it stays quantized when all layers are in float.
  /// Reports progress of this pass to the context.
  std::vector<LayerEffect> effects(const LayerTrialOptions& trials, std::string_view pass) const;

  /// The same layers in the order in which they are turned back: first those with the most noise for their time gain.
  /// If inject_qdq() weighs time, the price of noise at which each layer no longer pays decides; that turns back
  /// adjacent layers together. Otherwise the noisiest come first. The noise is measured on few samples, in groups of
  /// neighbours if there are many layers.
  std::vector<std::string> ranked(const LayerTrialOptions& trials, std::string_view pass) const;

  /// Whether the layer may have this form: dynamic, weight-only.
  bool can_be(std::string_view layer, ProductForm form) const { return requantizer_.can_be(layer, form); }

  /// The number of quantized nodes without a name that identifies a layer.
  std::size_t nameless() const { return requantizer_.nameless(); }

 private:
  /// Nodes that are quantized with all these layers in float, and would not be if they were added to them.
  std::vector<std::string> left(const LayerTrialOptions& trials, Names in_float) const;
  /// The candidates in the order of the graph.
  std::vector<std::string> candidates(const LayerTrialOptions& trials) const;
  /// Runs copies in which some of these are quantized, on the first `most` samples.
  LayersAlone alone(const std::vector<std::string>& names, std::size_t most) const;

  /// Calls visit(i, sample) for the first `count` samples, until it returns false. Throws Error if the samples cannot
  /// be traversed again.
  using Visit = std::function<bool(std::size_t i, const Sample& sample)>;
  void go_through(std::size_t count, const Visit& visit) const;

  Fidelity measure(const Model& model, std::size_t most, double least_cosine = -1) const;

  Requantizer requantizer_;
  SampleSource samples_;
  ExecutorFactory make_executor_;
  const Context& context_;
  std::size_t present_;              // number of pairs of the graph
  std::size_t weight_only_present_;  // number of its weight-only products
  std::vector<std::vector<Tensor>> floats_;
  std::vector<Feeds> selected_;    // selections of the graph, by sample
  std::vector<std::size_t> rows_;  // number of rows of each output, over all samples
};

/// The pass with the needs of the passes that it tries.
Pass needing(Pass pass, const Pass& tried);

}  // namespace graft::inline v1::detail
