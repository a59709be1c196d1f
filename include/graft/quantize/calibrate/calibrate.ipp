#pragma once
#include <graft/quantize/calibrate/calibrate.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/denormals.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass calibrate(SampleSource samples, RangeMethod method, ExecutorFactory make_executor) {
  const auto run = [samples = std::move(samples), method = std::move(method), make_executor = std::move(make_executor)](
                       Graph& graph, Context& context) {
    Report report;
    std::optional<Ranges> found = method.find([&](const detail::StatisticsSink& statistics) {
      const std::vector<const Value*> values = observable(graph);
      Statistics<Denormals> denormals;
      const detail::StatisticsSink both({{values, statistics}, {values, detail::StatisticsSink(denormals)}});
      report = detail::run_samples(graph, values, {{samples, both}}, make_executor, context, "calibrate");
      std::ranges::move(notes_on_denormals(denormals), std::back_inserter(report.notes));
      return report.outcome != Outcome::cancelled;
    });
    if (!found) return report;
    report.notes.push_back(std::to_string(found->size()) + " ranges");
    context.facts.provide(*std::move(found));
    return report;
  };
  return pass("calibrate", run).provides<Ranges>();
}

GRAFT_INLINE Pass with_ranges(Ranges ranges) {
  return pass("with_ranges",
              [ranges = std::move(ranges)](Graph&, Context& context) {
                context.facts.provide(ranges);
                return Report();
              })
      .provides<Ranges>();
}

}  // namespace graft::inline v1
