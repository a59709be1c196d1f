#pragma once
#include <graft/quantize/tune/detail/trial_runs.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/tune/detail/graph_difference.hpp>
#include <graft/quantize/tune/detail/layer_ranking.hpp>
#include <graft/quantize/tune/detail/noise_share.hpp>
#include <graft/rewrite/need.hpp>

namespace graft::inline v1::detail {

inline constexpr std::size_t every_sample = std::numeric_limits<std::size_t>::max();

GRAFT_INLINE TrialRuns::TrialRuns(const Graph& graph, const Pass& quantize, SampleSource samples, std::size_t most,
                                  ExecutorFactory make_executor, const Context& context)
    : requantizer_(graph, quantize, context),
      samples_(std::move(samples)),
      make_executor_(std::move(make_executor)),
      context_(context),
      present_(count_quantizers(graph)),
      weight_only_present_(count_weight_only(graph)) {
  AnyExecutor executor = make_executor_(graph);
  const Fetches outputs = measured().in_floats(graph);
  for_first(samples_, most, context_, [&](std::size_t, const Sample& sample) {
    floats_.push_back(executor.run(sample.feeds, outputs));
    selected_.push_back(measured().take_selected(floats_.back()));
    FidelityMeter::count_rows(floats_.back(), rows_);
    return true;
  });
  if (floats_.empty() && !context_.is_cancelled()) throw Error("there is no sample to measure on");
}

GRAFT_INLINE TrialResult TrialRuns::measure(const Names& turned_back, ProductForm products, double least_cosine) const {
  const Model model = requantizer_.quantized(turned_back, false, products);
  const std::size_t pairs = count_quantizers(model.graph());
  const bool is_quantized = pairs > present_ || count_weight_only(model.graph()) > weight_only_present_;
  return {measure(model, every_sample, least_cosine), pairs - std::min(pairs, present_), is_quantized};
}

GRAFT_INLINE Fidelity TrialRuns::measure(const Pass& quantize) const {
  return measure(requantizer_.made_by(quantize), every_sample);
}

GRAFT_INLINE Fidelity TrialRuns::effect(const Names& in_float, std::size_t most) const {
  return measure(requantizer_.quantized(in_float, true), most);
}

GRAFT_INLINE std::vector<LayerEffect> TrialRuns::effects(const LayerTrialOptions& trials, std::string_view pass) const {
  const std::vector<std::string> names = candidates(trials);
  std::vector<LayerEffect> layers;
  if (names.empty()) return layers;
  LayersAlone copies = alone(names, trials.samples);
  Names in_float;
  for (std::size_t i = 0; i < names.size() && !context_.is_cancelled(); ++i) {
    FidelityMeter meter(measured().decisions());
    const bool is_layer = copies.run(
        {names[i]}, [&](std::size_t sample, std::span<const Tensor> outputs) { meter.add(floats_[sample], outputs); });
    if (is_layer) {
      layers.push_back({names[i], meter.fidelity()});
      in_float.insert(names[i]);
    }
    context_.report_progress(Progress{pass, i + 1, names.size()});
  }
  std::stable_sort(layers.begin(), layers.end(), [](const LayerEffect& a, const LayerEffect& b) {
    return a.quantized_alone.decibels < b.quantized_alone.decibels;
  });
  for (std::string& name : left(trials, std::move(in_float))) layers.push_back({std::move(name), {}});
  return layers;
}

GRAFT_INLINE std::vector<std::string> TrialRuns::ranked(const LayerTrialOptions& trials, std::string_view pass) const {
  constexpr std::size_t max_samples = 2;
  const std::vector<std::string> names = candidates(trials);
  LayersAlone copies = alone(names, std::min(trials.samples, max_samples));
  const auto noise_of = [&](std::span<const std::string> layers) {
    double sum = 0;
    if (context_.is_cancelled()) return sum;
    copies.run(Names(layers.begin(), layers.end()), [&](std::size_t sample, std::span<const Tensor> outputs) {
      sum += noise_share(floats_[sample], outputs);
    });
    return sum;
  };
  const std::vector<double> noises = noises_of_layers(names, noise_of, [&](std::size_t done, std::size_t total) {
    if (!context_.is_cancelled()) context_.report_progress(Progress{pass, done, total});
  });
  std::vector<NoisyLayer> layers;
  for (std::size_t i = 0; i < names.size() && !context_.is_cancelled(); ++i)
    if (noises[i] > 0 || copies.is_changed_by({names[i]})) layers.push_back({names[i], noises[i]});
  const auto quantized_at = [&](double price_of_noise) {
    NodePrices prices;
    for (const NoisyLayer& layer : layers) prices.by_name.emplace(layer.node, price_of_noise * layer.noise);
    const std::vector<std::string> quantized =
        requantizer_.quantized_nodes(requantizer_.with_prices(std::move(prices)));
    return Names(quantized.begin(), quantized.end());
  };
  std::vector<std::string> ranked = rank(std::move(layers), quantized_at, context_);
  const std::vector<std::string> more = left(trials, Names(ranked.begin(), ranked.end()));
  ranked.insert(ranked.end(), more.begin(), more.end());
  return ranked;
}

GRAFT_INLINE std::vector<std::string> TrialRuns::candidates(const LayerTrialOptions& trials) const {
  std::vector<std::string> names = requantizer_.quantized_nodes(quantized({}));
  std::erase_if(names, [&](const std::string& name) { return !trials.includes(name); });
  return names;
}

GRAFT_INLINE LayersAlone TrialRuns::alone(const std::vector<std::string>& names, std::size_t most) const {
  std::vector<Feeds> feeds;
  go_through(std::min(most, floats_.size()), [&](std::size_t i, const Sample& sample) {
    feeds.push_back(by_name(sample.feeds, selected_[i]));
    return true;
  });
  return LayersAlone(requantizer_, Names(names.begin(), names.end()), std::move(feeds), make_executor_);
}

GRAFT_INLINE std::vector<std::string> TrialRuns::left(const LayerTrialOptions& trials, Names in_float) const {
  std::vector<std::string> names;
  for (bool found = true; found && !context_.is_cancelled();) {
    found = false;
    const Model left = quantized(in_float);
    for (const std::string& name : requantizer_.quantized_nodes(left)) {
      if (in_float.contains(name) || !trials.includes(name)) continue;
      Names more = in_float;
      more.insert(name);
      if (GraphDifference(quantized(more).graph(), left.graph()).is_none) continue;
      in_float = std::move(more);
      names.push_back(name);
      found = true;
      break;
    }
  }
  return names;
}

GRAFT_INLINE Fidelity TrialRuns::measure(const Model& model, std::size_t most, double least_cosine) const {
  AnyExecutor executor = make_executor_(model.graph());
  const Fetches outputs = measured().in_copy(model.graph());
  FidelityMeter meter(measured().decisions());
  go_through(std::min(most, floats_.size()), [&](std::size_t i, const Sample& sample) {
    meter.add(floats_[i], executor.run(feeds_of_copy(model.graph(), sample.feeds, selected_[i]), outputs));
    return meter.greatest_cosine(rows_) >= least_cosine;
  });
  return meter.fidelity();
}

GRAFT_INLINE void TrialRuns::go_through(std::size_t count, const Visit& visit) const {
  bool has_ended = false;
  const std::size_t seen = for_first(samples_, count, context_, [&](std::size_t i, const Sample& sample) {
    has_ended = !visit(i, sample);
    return !has_ended;
  });
  if (seen < count && !has_ended && !context_.is_cancelled())
    throw Error("the samples can be gone through only once: hold them in a vector");
}

GRAFT_INLINE Pass needing(Pass pass, const Pass& tried) {
  for (const Need& need : tried.needs()) pass = pass.needs(need);
  return pass;
}

}  // namespace graft::inline v1::detail
