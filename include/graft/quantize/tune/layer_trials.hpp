#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/tune/detail/requantizer.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Which layers are turned back to float, and what that is measured on.
struct LayerTrials {
  std::vector<NamePattern> candidates{};  ///< by the names of their nodes; none: every quantized node
  std::size_t samples = 16;               ///< the first so many show what each layer does
  /// How many of the worst are turned back, each alone and one upon the other: where that is analyzed.
  std::size_t in_float = std::numeric_limits<std::size_t>::max();

  bool concern(std::string_view node) const;
};

/// What a layer does to the outputs.
struct LayerEffect {
  std::string node;
  Fidelity quantized_alone;                     ///< it is quantized, all others are in float
  std::optional<Fidelity> in_float_alone{};     ///< it is in float, all others are quantized
  std::optional<Fidelity> in_float_together{};  ///< it is in float, and all in front of it in the list
};

namespace detail {

/// A quantized copy.
struct TrialResult {
  Fidelity fidelity;
  std::size_t pairs = 0;  ///< QuantizeLinear nodes that the graph does not have: 0 where nothing is quantized
};

/// f(i, sample) for the first so many; returns how many there were.
template <class Samples, class F>
std::size_t for_first(Samples& samples, std::size_t most, const F& f) {
  std::size_t i = 0;
  if (most == 0) return 0;
  for (auto&& each : samples) {
    const Sample& sample = each;
    try {
      f(i, sample);
    } catch (Error& error) {
      throw on_sample(error, sample, "sample " + std::to_string(i));
    }
    if (++i == most) break;
  }
  return i;
}

/// The same feeds for a copy of the graph.
Feeds by_name(const Feeds& feeds);

/// The outputs whose fidelity is measured: all but strings, which no executor computes and quantization leaves alone.
Fetches measured_outputs(const Graph& graph);

/// Holds a graph against quantized copies of it, on samples that are gone through for each copy. What the graph itself
/// gives is kept.
template <class Samples, class MakeExecutor>
class TrialRuns {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// Runs the graph on the first so many samples. Throws Error if there is none.
  TrialRuns(const Graph& graph, const Pass& quantize, Samples& samples, std::size_t most, MakeExecutor& make_executor,
            const Context& context)
      : requantizer_(graph, quantize, context), samples_(samples), make_executor_(make_executor), context_(context),
        present_(count_pairs(graph)) {
    auto executor = make_executor_(graph);
    const Fetches outputs = measured_outputs(graph);
    for_first(samples_, most, [&](std::size_t, const Sample& sample) {
      if (!context_.is_cancelled()) floats_.push_back(executor.run(sample.feeds, outputs));
    });
    if (floats_.empty() && !context_.is_cancelled()) throw Error("there is no sample to measure on");
  }

  /// The copy with these in float, as the passes would make it.
  Model quantized(const Names& in_float) const { return requantizer_.quantized(in_float); }
  /// How that copy does.
  TrialResult measure(const Names& in_float) const {
    const Model model = quantized(in_float);
    const std::size_t pairs = count_pairs(model.graph());
    return {measure(model, std::numeric_limits<std::size_t>::max()), pairs - std::min(pairs, present_)};
  }
  /// The fidelity of a copy that other passes quantize.
  Fidelity measure(const Pass& quantize) const {
    return measure(requantizer_.made_by(quantize), std::numeric_limits<std::size_t>::max());
  }
  /// The fidelity, on the first so many samples, of a copy with these alone in float, and nothing else that they leave
  /// where conversions no longer pay.
  Fidelity effect(const Names& in_float, std::size_t most) const {
    return measure(requantizer_.quantized(in_float, true), most);
  }

  /// What each candidate does where it alone is quantized, and all other layers are in float: the worst first. That
  /// ranks them better than where it alone is in float, where the noise of one bad layer hides what the others do.
  /// Nodes that leave nothing quantized so are no layers, unless they stay quantized where all layers are in float.
  /// Tells the context progress of this pass.
  std::vector<LayerEffect> effects(const LayerTrials& trials, std::string_view pass) const {
    const std::vector<std::string> names = requantizer_.reading_dequantized(quantized({}));
    const Names all(names.begin(), names.end());
    const std::string none = bytes_of(requantizer_.quantized(all, true));
    std::vector<LayerEffect> layers;
    for (std::size_t i = 0; i < names.size() && !context_.is_cancelled(); ++i) {
      if (trials.concern(names[i])) {
        Names others = all;
        others.erase(names[i]);
        const Model model = requantizer_.quantized(others, true);
        if (bytes_of(model) != none) layers.push_back({names[i], measure(model, trials.samples)});
      }
      context_.tell(Progress{pass, i + 1, names.size()});
    }
    std::stable_sort(layers.begin(), layers.end(), [](const LayerEffect& a, const LayerEffect& b) {
      return a.quantized_alone.decibels < b.quantized_alone.decibels;
    });
    add_left(trials, layers);
    return layers;
  }

  /// How many nodes are quantized and have no name that a layer could be told by.
  std::size_t nameless() const { return requantizer_.nameless(); }

 private:
  /// What is quantized with all layers in float, and would not be were it named too.
  void add_left(const LayerTrials& trials, std::vector<LayerEffect>& layers) const {
    Names in_float;
    for (const LayerEffect& layer : layers) in_float.insert(layer.node);
    for (bool found = true; found && !context_.is_cancelled();) {
      found = false;
      const Model left = quantized(in_float);
      for (const std::string& name : requantizer_.reading_dequantized(left)) {
        if (in_float.contains(name) || !trials.concern(name)) continue;
        Names more = in_float;
        more.insert(name);
        if (bytes_of(quantized(more)) == bytes_of(left)) continue;
        in_float = std::move(more);
        layers.push_back({name, {}});
        found = true;
        break;
      }
    }
  }

  static std::size_t count_pairs(const Graph& graph) {
    return static_cast<std::size_t>(std::ranges::count_if(graph.nodes(), is_quantize));
  }

  static std::string bytes_of(const Model& model) { return model.graph().model().serialize(); }

  Fidelity measure(const Model& model, std::size_t most) const {
    auto executor = make_executor_(model.graph());
    const Fetches outputs = measured_outputs(model.graph());
    FidelityMeter meter;
    const std::size_t wanted = std::min(most, floats_.size());
    const std::size_t seen = for_first(samples_, wanted, [&](std::size_t i, const Sample& sample) {
      if (!context_.is_cancelled()) meter.add(floats_[i], executor.run(by_name(sample.feeds), outputs));
    });
    if (seen < wanted) throw Error("the samples can be gone through only once: hold them in a vector");
    return meter.fidelity();
  }

  Requantizer requantizer_;
  Samples& samples_;
  MakeExecutor& make_executor_;
  const Context& context_;
  std::size_t present_;  // pairs of the graph
  std::vector<std::vector<Tensor>> floats_;
};

inline std::string note_of_nameless(std::size_t count) {
  return std::to_string(count) + " quantized nodes without a name are not tried in float: run unique_node_names first";
}

/// The same pass, needing what the passes need that it tries.
Pass needing(Pass pass, const Pass& tried);

}  // namespace detail
}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/layer_trials.ipp>
#endif
