#pragma once
#include <graft/quantize/tune/nearest_ranges.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>
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

GRAFT_INLINE std::vector<RangeChoice> usual_range_choices() {
  return {RangeChoice::of("percentile 99.99", Percentile{99.99}), RangeChoice::of("min-max", MinMax()),
          RangeChoice::of("percentile 99.97", Percentile{99.97}), RangeChoice::of("percentile 99.9", Percentile{99.9}),
          RangeChoice::of("squared-error", SquaredError()),       RangeChoice::of("entropy", Entropy())};
}

GRAFT_INLINE Pass nearest_ranges(const Pass& quantize, SampleSource samples, ExecutorFactory make_executor,
                                 RangeTrials trials) {
  if (trials.choices.empty()) throw Error("there are no ranges to choose from");
  const auto run = [quantize, samples = std::move(samples), make_executor = std::move(make_executor),
                    trials = std::move(trials)](Graph& graph, Context& context) {
    Report report;
    const auto& histograms = *context.facts.find<Statistics<Histogram>>();
    std::vector<Ranges> ranges;  // computed once: some observers take long
    for (const RangeChoice& choice : trials.choices) ranges.push_back(ranges_of(choice, histograms));
    const detail::TrialRuns runs(graph, with_ranges(ranges[0]) | quantize, samples, trials.samples, make_executor,
                                 context);
    std::optional<Fidelity> best;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < ranges.size() && !context.is_cancelled(); ++i) {
      const RangeChoice& choice = trials.choices[i];
      const Fidelity reached = runs.measure(with_ranges(ranges[i]) | quantize);
      report.notes.push_back(choice.name + ": " + to_string(reached));
      context.tell(report.notes.back());
      if (best && !(reached.cosine > best->cosine)) continue;
      best = reached;
      nearest = i;
    }
    if (context.is_cancelled()) {
      report.notes.clear();
      report.outcome = Outcome::cancelled;
      return report;
    }
    report.notes.push_back("the nearest: " + trials.choices[nearest].name);
    context.facts.provide(std::move(ranges[nearest]));
    return report;
  };
  return detail::needing(pass("nearest_ranges", run), with_ranges({}) | quantize)
      .needs<Statistics<Histogram>>()
      .provides<Ranges>();
}

}  // namespace graft::inline v1
