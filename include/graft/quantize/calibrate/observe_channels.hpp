#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>
#include <graft/quantize/calibrate/statistics/channel_means.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The activation that alone reads a value, in the same scope; nullptr if there is none.
const Node* sole_activation(const Value& value);

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
  return pass(name, run).template provides<Statistics<S>>();
}

}  // namespace detail

/// What the biases of a graph are corrected by: the inputs of its Conv and Gemm, each once.
std::vector<const Value*> channel_inputs(const Graph& graph);

/// Those, and what Conv and Gemm make, before and behind an activation.
std::vector<const Value*> channel_values(const Graph& graph);

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

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe_channels.ipp>
#endif
