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
  bool is_quantized = false;  ///< there are such, or weight-only products that it does not have
};

/// Holds a graph against quantized copies of it, on samples that are gone through for each copy. What the graph itself
/// gives is kept.
class TrialRuns {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// Runs the graph on the first so many samples. Throws Error if there is none.
  TrialRuns(const Graph& graph, const Pass& quantize, SampleSource samples, std::size_t most,
            ExecutorFactory make_executor, const Context& context);

  /// The copy with these in float, as the passes would make it.
  Model quantized(const Names& in_float) const { return requantizer_.quantized(in_float); }
  const MeasuredOutputs& measured() const { return requantizer_.measured(); }
  /// How that copy does, or that in which those of them that are products have another form: dynamic, weight-only. Ends
  /// early where the samples to come could not bring it to this cosine.
  TrialResult measure(const Names& turned_back, ProductForm products = ProductForm::in_float,
                      double least_cosine = -1) const;
  /// The fidelity of a copy that other passes quantize.
  Fidelity measure(const Pass& quantize) const;
  /// The fidelity, on the first so many samples, of a copy with these alone in float, and nothing else that they leave
  /// where conversions no longer pay.
  Fidelity effect(const Names& in_float, std::size_t most) const;

  /// What each candidate does where it alone is quantized, and all other layers are in float: the worst first. That
  /// ranks them better than where it alone is in float, where the noise of one bad layer hides what the others do.
  /// Nodes that leave nothing quantized so are no layers, unless they stay quantized where all layers are in float.
  /// Tells the context progress of this pass.
  std::vector<LayerEffect> effects(const LayerTrials& trials, std::string_view pass) const;

  /// The same layers in the order in which they are to be turned back: first those whose noise costs most for the time
  /// that they gain. Where inject_qdq() weighs time, it is asked at which price of noise each layer no longer pays,
  /// which turns back together what lies together; else the noisiest come first. The noise is measured on few samples,
  /// of neighbours together where there are many layers.
  std::vector<std::string> ranked(const LayerTrials& trials, std::string_view pass) const;

  /// Whether it is a layer that may have this form: dynamic, weight-only.
  bool can_be(std::string_view layer, ProductForm form) const { return requantizer_.can_be(layer, form); }

  /// How many nodes are quantized and have no name that identifies a layer.
  std::size_t nameless() const { return requantizer_.nameless(); }

 private:
  /// What is quantized with all these layers in float, and would not be were it named too.
  std::vector<std::string> left(const LayerTrials& trials, Names in_float) const;
  /// The candidates, in the order of the graph.
  std::vector<std::string> candidates(const LayerTrials& trials) const;
  /// Runs copies in which some of these are quantized, on the first so many samples.
  LayersAlone alone(const std::vector<std::string>& names, std::size_t most) const;

  /// Calls visit(i, sample) for the first so many, until it returns false. Throws Error if they do not begin again.
  using Visit = std::function<bool(std::size_t i, const Sample& sample)>;
  void go_through(std::size_t count, const Visit& visit) const;

  Fidelity measure(const Model& model, std::size_t most, double least_cosine = -1) const;

  Requantizer requantizer_;
  SampleSource samples_;
  ExecutorFactory make_executor_;
  const Context& context_;
  std::size_t present_;              // pairs of the graph
  std::size_t weight_only_present_;  // its weight-only products
  std::vector<std::vector<Tensor>> floats_;
  std::vector<Feeds> selected_;    // by the graph, of each sample
  std::vector<std::size_t> rows_;  // of each output, over all samples
};

/// The same pass, needing what the passes need that it tries.
Pass needing(Pass pass, const Pass& tried);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/trial_runs.ipp>
#endif
