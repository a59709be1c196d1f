#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// The pass that provides a statistic of these values.
template <Statistic S>
Pass observe_statistic(std::vector<const Value*> (*values)(const Graph&), SampleSource samples,
                       ExecutorFactory make_executor) {
  const std::string name(S::fact_maker);
  const auto run = [name, values, samples = std::move(samples), make_executor = std::move(make_executor)](
                       Graph& graph, Context& context) {
    Statistics<S> statistics;
    Report report =
        run_samples(graph, values(graph), {{samples, StatisticsSink(statistics)}}, make_executor, context, name);
    if (report.outcome != Outcome::cancelled) context.facts.provide(std::move(statistics));
    return report;
  };
  return pass(name, run).template provides<Statistics<S>>();
}

}  // namespace graft::inline v1::detail
