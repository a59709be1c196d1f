#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/observe_channels.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// A way to make ranges of histograms, and what it is called.
struct RangeChoice {
  std::string name;
  std::function<Range(const Histogram&)> range;

  template <class O>
  static RangeChoice of(std::string name, const O& observer) {
    return {std::move(name), [observer](const Histogram& seen) { return observer.range(seen); }};
  }
};

/// Those that are good for one net or another.
std::vector<RangeChoice> usual_range_choices();

/// Which ranges are tried, and on how many samples, the first ones.
struct RangeTrials {
  std::vector<RangeChoice> choices = usual_range_choices();
  std::size_t samples = 64;
};

/// The pass that runs the graph on samples as calibrate() does, and provides histograms of its tensors, a
/// Statistics<Histogram>, to the passes behind it.
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass observe_histograms(Samples samples, MakeExecutor make_executor = {}) {
  return detail::observe_channels<Histogram>("histograms", observable, std::move(samples), make_executor);
}

/// The pass that provides, of the ranges which several observers make of the histograms, those with which outputs come
/// nearest to those of the float graph: with the greatest cosine, where the passes that quantize, and come next, are
/// run on a copy. Of equals the first one. Its notes tell the fidelity of each. No observer is the best for every net.
/// Samples, make_executor and the model are treated as by analyze(). Throws Error if there is nothing to choose from.
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass nearest_ranges(const Pass& quantize, Samples samples, MakeExecutor make_executor = {}, RangeTrials trials = {}) {
  if (trials.choices.empty()) throw Error("there are no ranges to choose from");
  const auto run = [quantize, samples = std::move(samples), make_executor,
                    trials = std::move(trials)](Graph& graph, Context& context) {
    Report report;
    const auto& histograms = *context.facts.find<Statistics<Histogram>>();
    std::vector<Ranges> ranges;  // some observers take long
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
      .template needs<Statistics<Histogram>>()
      .template provides<Ranges>();
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/nearest_ranges.ipp>
#endif
