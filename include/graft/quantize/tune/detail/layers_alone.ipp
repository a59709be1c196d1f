#pragma once
#include <graft/quantize/tune/detail/layers_alone.hpp>

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

}  // namespace graft::inline v1::detail
