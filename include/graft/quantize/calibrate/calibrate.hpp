#pragma once
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/observers/min_max.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// graft's own executor of a graph.
struct MakeEvaluator {
  Evaluator operator()(const Graph& graph) const { return Evaluator(graph); }
};

namespace detail {

/// Adds to the statistics what the samples show of these values. The report is that of a pass which does nothing else.
template <class Samples, Statistic S, class MakeExecutor>
Report run_samples(const Graph& graph, const std::vector<const Value*>& values, Samples& samples,
                   MakeExecutor& make_executor, Statistics<S>& statistics, Context& context,
                   std::string_view pass_name) {
  std::size_t total = 0;
  if constexpr (requires { std::size(samples); }) total = std::size(samples);
  Report report;
  auto executor = make_executor(graph);
  observe(executor, values, samples, statistics, [&](std::size_t done) {
    context.tell(Progress{pass_name, done, total});
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report.outcome != Outcome::cancelled;
  });
  if (report.outcome != Outcome::cancelled && statistics.samples == 0)
    throw Error("there is no sample to calibrate on");
  return report;
}

}  // namespace detail

/// The pass that runs the graph as it then is on samples, anything that yields Feeds, or Sample, one after the other,
/// and provides the ranges that the observer finds for its tensors to the passes behind it. The graph stays as it is.
/// make_executor(graph) gives what runs it. Throws Error if there is no sample, or as observe() does.
template <class Samples, RangeObserver O = MinMax, class MakeExecutor = MakeEvaluator>
Pass calibrate(Samples samples, const O& observer = {}, MakeExecutor make_executor = {}) {
  const auto run = [samples = std::move(samples), observer, make_executor](Graph& graph, Context& context) {
    Statistics statistics(observer.start());
    Report report =
        detail::run_samples(graph, observable(graph), samples, make_executor, statistics, context, "calibrate");
    if (report.outcome == Outcome::cancelled) return report;
    Ranges found = ranges_of(observer, statistics);
    report.notes.push_back(std::to_string(found.size()) + " ranges");
    context.facts.provide(std::move(found));
    return report;
  };
  return pass("calibrate", run).template provides<Ranges>();
}

/// The pass that provides known ranges to the passes behind it.
Pass with_ranges(Ranges ranges);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/calibrate.ipp>
#endif
