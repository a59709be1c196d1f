#pragma once
#include <graft/quantize/tune/nearest_ranges.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass nearest_ranges(const Pass& quantize, SampleSource samples, ExecutorFactory make_executor,
                                 RangeTrials trials) {
  if (trials.methods.empty()) throw Error("there are no methods to choose from");
  const auto run = [quantize, samples = std::move(samples), make_executor = std::move(make_executor),
                    trials = std::move(trials)](Graph& graph, Context& context) {
    Report report;
    const auto& histograms = *context.facts.find<Statistics<Histogram>>();
    std::vector<Ranges> ranges;  // computed once: some methods take long
    for (const RangeMethod& method : trials.methods) ranges.push_back(ranges_of(method, histograms));
    const detail::TrialRuns runs(graph, with_ranges(ranges[0]) | quantize, samples, trials.samples, make_executor,
                                 context);
    std::optional<Fidelity> best;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < ranges.size() && !context.is_cancelled(); ++i) {
      const RangeMethod& method = trials.methods[i];
      const Fidelity reached = runs.measure(with_ranges(ranges[i]) | quantize);
      report.notes.push_back(method.name() + ": " + to_string(reached));
      context.write_log(report.notes.back());
      if (best && !(reached.cosine > best->cosine)) continue;
      best = reached;
      nearest = i;
    }
    if (context.is_cancelled()) {
      report.notes.clear();
      report.outcome = Outcome::cancelled;
      return report;
    }
    report.notes.push_back("the nearest: " + trials.methods[nearest].name());
    context.facts.provide(std::move(ranges[nearest]));
    return report;
  };
  return detail::needing(pass("nearest_ranges", run), with_ranges({}) | quantize)
      .needs<Statistics<Histogram>>()
      .provides<Ranges>();
}

}  // namespace graft::inline v1
