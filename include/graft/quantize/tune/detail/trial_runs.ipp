#pragma once
#include <graft/quantize/tune/detail/trial_runs.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/rewrite/need.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE TrialRuns::TrialRuns(const Graph& graph, const Pass& quantize, SampleSource samples, std::size_t most,
                                  ExecutorFactory make_executor, const Context& context)
    : requantizer_(graph, quantize, context), samples_(std::move(samples)), make_executor_(std::move(make_executor)),
      context_(context), present_(count_quantizers(graph)), weight_only_present_(count_weight_only(graph)),
      embeddings_(embedding_outputs(graph)) {
  AnyExecutor executor = make_executor_(graph);
  const Fetches outputs = measured_outputs(graph);
  for_first(samples_, most, context_, [&](std::size_t, const Sample& sample) {
    floats_.push_back(executor.run(sample.feeds, outputs));
  });
  if (floats_.empty() && !context_.is_cancelled()) throw Error("there is no sample to measure on");
}

GRAFT_INLINE TrialResult TrialRuns::measure(const Names& turned_back, ProductForm products) const {
  const Model model = requantizer_.quantized(turned_back, false, products);
  const std::size_t pairs = count_quantizers(model.graph());
  const bool is_quantized = pairs > present_ || count_weight_only(model.graph()) > weight_only_present_;
  return {measure(model, std::numeric_limits<std::size_t>::max()), pairs - std::min(pairs, present_), is_quantized};
}

GRAFT_INLINE Fidelity TrialRuns::measure(const Pass& quantize) const {
  return measure(requantizer_.made_by(quantize), std::numeric_limits<std::size_t>::max());
}

GRAFT_INLINE Fidelity TrialRuns::effect(const Names& in_float, std::size_t most) const {
  return measure(requantizer_.quantized(in_float, true), most);
}

GRAFT_INLINE std::vector<LayerEffect> TrialRuns::effects(const LayerTrials& trials, std::string_view pass) const {
  const std::vector<std::string> names = requantizer_.quantized_nodes(quantized({}));
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

GRAFT_INLINE void TrialRuns::add_left(const LayerTrials& trials, std::vector<LayerEffect>& layers) const {
  Names in_float;
  for (const LayerEffect& layer : layers) in_float.insert(layer.node);
  for (bool found = true; found && !context_.is_cancelled();) {
    found = false;
    const Model left = quantized(in_float);
    for (const std::string& name : requantizer_.quantized_nodes(left)) {
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

GRAFT_INLINE std::string TrialRuns::bytes_of(const Model& model) { return model.graph().model().serialize(); }

GRAFT_INLINE Fidelity TrialRuns::measure(const Model& model, std::size_t most) const {
  AnyExecutor executor = make_executor_(model.graph());
  const Fetches outputs = measured_outputs(model.graph());
  FidelityMeter meter(embeddings_);
  const std::size_t wanted = std::min(most, floats_.size());
  const std::size_t seen = for_first(samples_, wanted, context_, [&](std::size_t i, const Sample& sample) {
    meter.add(floats_[i], executor.run(by_name(sample.feeds), outputs));
  });
  if (seen < wanted && !context_.is_cancelled())
    throw Error("the samples can be gone through only once: hold them in a vector");
  return meter.fidelity();
}

GRAFT_INLINE Pass needing(Pass pass, const Pass& tried) {
  for (const Need& need : tried.needs()) pass = pass.needs(need);
  return pass;
}

}  // namespace graft::inline v1::detail
