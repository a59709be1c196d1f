#pragma once
#include <graft/quantize/tune/detail/layer_ranking.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/tune/detail/graph_difference.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE LayersAlone::LayersAlone(const Requantizer& requantizer, Names all, std::vector<Feeds> samples,
                                      ExecutorFactory make_executor)
    : requantizer_(requantizer),
      all_(std::move(all)),
      make_executor_(std::move(make_executor)),
      none_(requantizer_.quantized(all_, true)),
      executor_(make_executor_(none_.graph())),
      live_(none_.graph()),
      start_(std::move(samples)),
      here_(start_) {}

GRAFT_INLINE bool LayersAlone::is_changed_by(const Names& quantized) const {
  return !GraphDifference(none_.graph(), copy(quantized).graph()).is_none;
}

GRAFT_INLINE bool LayersAlone::run(const Names& quantized, const Visit& visit) {
  const Model model = copy(quantized);
  const Graph& graph = model.graph();
  const GraphDifference difference(none_.graph(), graph);
  if (difference.is_none) return false;
  if (difference.first < here_.place()) here_ = start_;
  here_.advance(none_.graph(), live_, executor_, difference.first);
  AnyExecutor executor = make_executor_(graph);
  const Fetches outputs = requantizer_.measured().in_copy(graph);
  for (std::size_t i = 0; i < here_.samples(); ++i) visit(i, here_.run(i, graph, executor, outputs));
  return true;
}

GRAFT_INLINE Model LayersAlone::copy(const Names& quantized) const {
  Names others = all_;
  for (const std::string& name : quantized) others.erase(name);
  return requantizer_.quantized(others, true);
}

GRAFT_INLINE std::vector<double> noises_of_layers(std::span<const std::string> layers,
                                                  const std::function<double(std::span<const std::string>)>& noise_of,
                                                  const std::function<void(std::size_t, std::size_t)>& told) {
  const std::size_t size = std::max<std::size_t>(1, (2 * layers.size() + usual_measurements - 1) / usual_measurements);
  const std::size_t groups = (layers.size() + size - 1) / size, opened = size == 1 ? 0 : groups / size;
  const std::size_t total = groups + opened * size;
  std::size_t done = 0;
  const auto members = [&](std::size_t group) {
    return layers.subspan(group * size, std::min(size, layers.size() - group * size));
  };
  std::vector<double> of_groups(groups), noises(layers.size());
  for (std::size_t group = 0; group < groups; ++group) {
    of_groups[group] = noise_of(members(group));
    told(++done, total);
  }
  std::vector<std::size_t> noisiest(groups);
  std::iota(noisiest.begin(), noisiest.end(), std::size_t{0});
  std::ranges::stable_sort(noisiest, [&](std::size_t a, std::size_t b) { return of_groups[a] > of_groups[b]; });
  noisiest.resize(opened);
  std::ranges::sort(noisiest);
  for (std::size_t group = 0; group < groups; ++group) {
    const bool is_open = std::ranges::binary_search(noisiest, group);
    const std::span<const std::string> of_group = members(group);
    for (std::size_t i = 0; i < of_group.size(); ++i) {
      noises[group * size + i] =
          is_open ? noise_of(of_group.subspan(i, 1)) : of_groups[group] / static_cast<double>(of_group.size());
      if (is_open) told(++done, total);
    }
  }
  return noises;
}

/// The layers that are turned back between two prices.
struct PriceSpan {
  double low, high;  // logarithms
  std::vector<std::size_t> layers;
};

GRAFT_INLINE std::vector<std::string> rank(
    std::vector<NoisyLayer> layers, const std::function<std::set<std::string, std::less<>>(double)>& quantized_at,
    const Context& context) {
  constexpr double lowest = 0, highest = 60, finest = 0.05;
  constexpr std::size_t max_questions = 48;
  // Those of `layers` that are turned back at a price.
  const auto turned_back = [&](double price, const std::vector<std::size_t>& of) {
    const std::set<std::string, std::less<>> quantized = quantized_at(std::exp(price));
    std::vector<std::size_t> result;
    for (const std::size_t i : of)
      if (!quantized.contains(layers[i].node)) result.push_back(i);
    return result;
  };
  std::vector<std::size_t> all(layers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> prices(layers.size(), std::numeric_limits<double>::infinity());
  std::vector<PriceSpan> spans{
      {lowest, highest, layers.empty() || context.is_cancelled() ? all : turned_back(highest, all)}};
  for (std::size_t asked = 1; asked < max_questions && !context.is_cancelled(); ++asked) {
    // Cuts the span with the most layers in two.
    const auto widest = std::ranges::max_element(
        spans, {}, [](const PriceSpan& span) { return span.high - span.low > finest ? span.layers.size() : 0; });
    if (widest->layers.size() < 2 || widest->high - widest->low <= finest) break;
    const PriceSpan span = *widest;
    const double middle = (span.low + span.high) / 2;
    const std::vector<std::size_t> below = turned_back(middle, span.layers);
    std::vector<std::size_t> above;
    std::ranges::set_difference(span.layers, below, std::back_inserter(above));
    *widest = {span.low, middle, below};
    spans.push_back({middle, span.high, std::move(above)});
  }
  for (const PriceSpan& span : spans)
    for (const std::size_t i : span.layers) prices[i] = span.high;
  std::ranges::stable_sort(all, [&](std::size_t a, std::size_t b) {
    return prices[a] != prices[b] ? prices[a] < prices[b] : layers[a].noise > layers[b].noise;
  });
  std::vector<std::string> ranked;
  for (const std::size_t i : all) ranked.push_back(std::move(layers[i].node));
  return ranked;
}

}  // namespace graft::inline v1::detail
