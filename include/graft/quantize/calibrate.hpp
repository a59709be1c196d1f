#pragma once
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/observe.hpp>
#include <graft/quantize/observer.hpp>
#include <graft/quantize/observers/min_max.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that runs the graph as it then is on samples, anything that yields Feeds, or Sample, one after the other,
/// and provides the ranges that the observer finds for its tensors to the passes behind it. The graph stays as it is.
/// Throws Error if there is no sample, or as observe() does.
template <class Samples, RangeObserver O = MinMax>
Pass calibrate(Samples samples, const O& observer = {}) {
  const auto run = [samples = std::move(samples), observer](Graph& graph, Context& context) {
    std::size_t total = 0;
    if constexpr (requires { std::size(samples); }) total = std::size(samples);
    Report report;
    Evaluator evaluator(graph);
    Statistics statistics(observer.start());
    observe(evaluator, graph, samples, statistics, [&](std::size_t done) {
      context.tell(Progress{"calibrate", done, total});
      if (context.is_cancelled()) report.outcome = Outcome::cancelled;
      return report.outcome != Outcome::cancelled;
    });
    if (report.outcome == Outcome::cancelled) return report;
    if (statistics.samples == 0) throw Error("there is no sample to calibrate on");
    Ranges found = ranges_of(observer, statistics);
    report.notes.push_back(std::to_string(found.size()) + " ranges");
    context.facts.provide(std::move(found));
    return report;
  };
  return pass("calibrate", run).makes({"ranges"});
}

/// The pass that provides known ranges to the passes behind it.
inline Pass with_ranges(Ranges ranges) {
  return pass("with_ranges",
              [ranges = std::move(ranges)](Graph&, Context& context) {
                context.facts.provide(ranges);
                return Report();
              })
      .makes({"ranges"});
}

}  // namespace graft::inline v1
