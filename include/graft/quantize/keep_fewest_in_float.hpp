#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate.hpp>
#include <graft/quantize/fidelity.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/layer_trials.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// What keep_fewest_in_float() has reached.
struct GoalResult {
  bool met = false;
  Fidelity reached{};
};

namespace detail {

/// Searches for the fewest layers with which the goal is met, the worst first.
template <class Runs>
class FewestInFloat {
 public:
  using Names = typename Runs::Names;

  FewestInFloat(const FidelityGoal& goal, const Runs& runs, const LayerTrials& trials, const Context& context)
      : goal_(goal), runs_(runs), trials_(trials), context_(context) {}

  /// Empty where the goal is met without, all layers where it is met by nothing.
  Names find(Report& report) {
    const TrialResult without = runs_.measure({});
    reached_ = without.fidelity;
    if (without.pairs == 0) {
      report.notes.push_back("nothing is quantized, whatever stays in float");
      return {};
    }
    if (goal_.is_met_by(reached_)) {
      is_met_ = true;
      report.notes.push_back("the goal is reached with every layer quantized: " + to_string(reached_));
      return {};
    }
    layers_ = runs_.effects(trials_, "keep_fewest_in_float");
    Names names = first(layers_.size());
    const TrialResult all = measure(names);
    TrialResult found = all;
    const bool is_near = goal_.is_met_by(found.fidelity);
    if (is_near && !layers_.empty()) {
      const std::size_t count = shortest(found);
      names = first(count);
      drop(names, found, count - 1);
    }
    is_met_ = is_near && found.pairs > 0;
    if (!is_met_) {
      names = first(layers_.size());
      found = all;
    }
    reached_ = found.fidelity;
    for (const LayerEffect& layer : layers_)
      if (names.contains(layer.node)) report.notes.push_back("'" + layer.node + "' stays in float");
    const std::string kept =
        std::to_string(names.size()) + " of " + std::to_string(layers_.size()) + " layers in float";
    const std::string pairs = std::to_string(found.pairs) + " of " + std::to_string(without.pairs) + " pairs left";
    report.notes.push_back((is_met_   ? "the goal is reached with " + kept + ", " + pairs
                            : is_near ? "the goal is reached only where nothing is quantized any more"
                                      : "the goal cannot be reached, not even with " + kept) +
                           ": " + to_string(reached_) + "; with none in float: " + to_string(without.fidelity));
    return names;
  }

  GoalResult result() const { return {is_met_, reached_}; }

 private:
  Names first(std::size_t count) const {
    Names names;
    for (std::size_t i = 0; i < count; ++i) names.insert(layers_[i].node);
    return names;
  }

  TrialResult measure(const Names& names) {
    if (context_.is_cancelled()) return {};
    const TrialResult trial = runs_.measure(names);
    context_.tell(std::to_string(names.size()) + " layers in float, " + std::to_string(trial.pairs) +
                  " pairs: " + to_string(trial.fidelity));
    return trial;
  }

  /// How many of the first it takes, if more are never worse: all of them are enough, none are not. And how these do.
  std::size_t shortest(TrialResult& found) {
    std::size_t too_few = 0, enough = layers_.size();
    while (enough - too_few > 1) {
      const std::size_t count = too_few + (enough - too_few) / 2;
      const TrialResult trial = measure(first(count));
      const bool is_met = goal_.is_met_by(trial.fidelity);
      if (is_met) found = trial;
      (is_met ? enough : too_few) = count;
    }
    return enough;
  }

  /// Takes out those of the first so many that are not needed after all.
  void drop(Names& names, TrialResult& found, std::size_t count) {
    for (std::size_t i = count; i-- > 0;) {
      Names fewer = names;
      fewer.erase(layers_[i].node);
      const TrialResult trial = measure(fewer);
      if (!goal_.is_met_by(trial.fidelity) || trial.pairs < found.pairs) continue;
      names = std::move(fewer);
      found = trial;
    }
  }

  const FidelityGoal& goal_;
  const Runs& runs_;
  const LayerTrials& trials_;
  const Context& context_;
  std::vector<LayerEffect> layers_;
  bool is_met_ = false;
  Fidelity reached_;
};

}  // namespace detail

/// The pass that keeps as few layers in float as it takes for outputs near those of the float graph, on all samples:
/// what the passes that quantize, and come next, make of a copy is measured, so that the goal is met by what they will
/// make of the graph. Layers are ranked as analyze() ranks them, on trials.samples; bisection finds how many of the
/// worst it takes; of these each that is not needed goes, the least bad first. So it is a small number, not always the
/// least one. Runs the samples about log2(layers) + kept times, and the first ones once for each layer. Its notes tell
/// what stays in float, how many pairs are left, for other operators may no longer pay then, and what is reached, as
/// does the GoalResult that it provides. Where the goal cannot be reached, or only by a graph without pairs, it is not
/// met, and all candidates stay in float. What keep_in_float() names stays there too. Samples, make_executor and the
/// model are treated as by analyze().
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass keep_fewest_in_float(const FidelityGoal& goal, const Pass& quantize, Samples samples, LayerTrials trials = {},
                          MakeExecutor make_executor = {}) {
  const auto run = [goal, quantize, samples = std::move(samples), trials = std::move(trials), make_executor](
                       Graph& graph, Context& context) {
    Report report;
    const detail::TrialRuns runs(graph, quantize, samples, std::numeric_limits<std::size_t>::max(), make_executor,
                                 context);
    detail::FewestInFloat search(goal, runs, trials, context);
    auto found = search.find(report);
    if (context.is_cancelled()) {
      report.notes.clear();
      report.outcome = Outcome::cancelled;
      return report;
    }
    KeptInFloat kept = KeptInFloat::of(context.facts);
    if (runs.nameless() != 0 && !search.result().met)
      report.notes.push_back(detail::note_of_nameless(runs.nameless()));
    report.changes = found.size();
    for (const std::string& name : found) kept.reasons.try_emplace(name, "for the goal that was set");
    context.facts.provide(std::move(kept));
    context.facts.provide(search.result());
    return report;
  };
  return detail::needing(pass("keep_fewest_in_float", run).makes({"kept_in_float"}).makes({"goal_result"}), quantize);
}

}  // namespace graft::inline v1
