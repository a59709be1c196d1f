#pragma once
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/calibrate.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/statistics/channel_extremes.hpp>
#include <graft/quantize/statistics/channel_means.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

/// The activation that alone reads a value, in the same scope; nullptr if there is none.
inline const Node* sole_activation(const Value& value) {
  if (value.use_count() != 1) return nullptr;
  const Use& use = value.uses().front();
  const Node* const user = use.user();
  if (user == nullptr || use.index() != 0 || &user->graph() != &value.graph()) return nullptr;
  return activation(*user) != nullptr ? user : nullptr;
}

/// The pass that provides a statistic of these values.
template <Statistic S, class Samples, class MakeExecutor>
Pass observe_channels(const std::string& fact, std::vector<const Value*> (*values)(const Graph&), Samples samples,
                      MakeExecutor make_executor) {
  const std::string name = "observe_" + fact;
  const auto run = [name, values, samples = std::move(samples), make_executor](Graph& graph, Context& context) {
    Statistics<S> statistics;
    Report report = run_samples(graph, values(graph), samples, make_executor, statistics, context, name);
    if (report.outcome != Outcome::cancelled) context.facts.provide(std::move(statistics));
    return report;
  };
  return pass(name, run).makes({fact});
}

}  // namespace detail

/// What the biases of a graph are corrected by: the inputs of its Conv and Gemm, each once.
inline std::vector<const Value*> channel_inputs(const Graph& graph) {
  std::vector<const Value*> values;
  std::unordered_set<const Value*> seen;
  for (const Node& node : graph.nodes()) {
    const Value* const x = detail::has_channel_response(node) ? node.input(0) : nullptr;
    if (x != nullptr && !x->is_constant() && seen.insert(x).second) values.push_back(x);
  }
  return values;
}

/// Those, and what Conv and Gemm make, before and behind an activation.
inline std::vector<const Value*> channel_values(const Graph& graph) {
  std::vector<const Value*> values = channel_inputs(graph);
  std::unordered_set<const Value*> seen(values.begin(), values.end());
  const auto add = [&](const Value& value) {
    if (seen.insert(&value).second) values.push_back(&value);
  };
  for (const Node& node : graph.nodes()) {
    if (!detail::has_channel_response(node)) continue;
    add(*node.output(0));
    if (const Node* const activation = detail::sole_activation(*node.output(0))) add(*activation->output(0));
  }
  return values;
}

/// The pass that runs the graph on samples as calibrate() does, and provides the means of the input channels of every
/// Conv and Gemm, a Statistics<ChannelMeans>, to the passes behind it.
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass observe_channel_means(Samples samples, MakeExecutor make_executor = {}) {
  return detail::observe_channels<ChannelMeans>("channel_means", channel_inputs, std::move(samples), make_executor);
}

/// The same of the least and greatest values in the channels around every Conv and Gemm, a
/// Statistics<ChannelExtremes>.
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass observe_channel_extremes(Samples samples, MakeExecutor make_executor = {}) {
  return detail::observe_channels<ChannelExtremes>("channel_extremes", channel_values, std::move(samples),
                                                   make_executor);
}

}  // namespace graft::inline v1
