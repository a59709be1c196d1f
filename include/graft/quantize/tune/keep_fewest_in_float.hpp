#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// How a search for the fewest layers in float ended.
enum class GoalOutcome : std::uint8_t {
  nothing_quantized,   ///< whatever stays in float
  met_by_all,          ///< with every layer quantized
  met,                 ///< with some layers in float
  met_without_pairs,   ///< only where nothing is quantized any more
  not_met,             ///< not even with all layers in float
};

/// What keep_fewest_in_float() has found.
struct GoalResult {
  static constexpr std::string_view fact_name = "goal_result", fact_maker = "keep_fewest_in_float";

  bool met = false;
  Fidelity reached{};
  GoalOutcome outcome = GoalOutcome::nothing_quantized;
  std::vector<std::string> in_float{};  ///< the layers, the worst first
  std::size_t layers = 0;               ///< how many there are to choose of
  std::size_t pairs = 0, pairs_with_none_in_float = 0;
  Fidelity with_none_in_float{};
  std::size_t trials = 0;    ///< how often all samples were run on a quantized copy
  std::size_t nameless = 0;  ///< quantized nodes that could not be tried, as they have no name
};

/// "the goal is reached with 1 of 3 layers in float, 3 of 4 pairs left: top-1 agreement 1.0000, ..."
std::string to_string(const GoalResult& result);

namespace detail {

/// Searches for the fewest layers with which the goal is met, the worst first.
template <class Runs>
class FewestInFloat {
 public:
  using Names = typename Runs::Names;

  FewestInFloat(const FidelityGoal& goal, const Runs& runs, const LayerTrials& trials, const Context& context)
      : goal_(goal), runs_(runs), trials_(trials), context_(context) {}

  /// No layer is in float where the goal is met without, all are where it is met by nothing.
  GoalResult find() {
    GoalResult result;
    const TrialResult without = runs_.measure({});
    ++trials_made_;
    result.with_none_in_float = result.reached = without.fidelity;
    result.pairs_with_none_in_float = result.pairs = without.pairs;
    result.trials = trials_made_;
    if (without.pairs == 0) return result;
    result.met = goal_.is_met_by(result.reached);
    result.outcome = GoalOutcome::met_by_all;
    if (result.met) return result;
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
    result.met = is_near && found.pairs > 0;
    result.outcome = result.met ? GoalOutcome::met : is_near ? GoalOutcome::met_without_pairs : GoalOutcome::not_met;
    if (!result.met) {
      names = first(layers_.size());
      found = all;
    }
    for (const LayerEffect& layer : layers_)
      if (names.contains(layer.node)) result.in_float.push_back(layer.node);
    result.layers = layers_.size();
    result.reached = found.fidelity;
    result.pairs = found.pairs;
    result.trials = trials_made_;
    return result;
  }

 private:
  Names first(std::size_t count) const {
    Names names;
    for (std::size_t i = 0; i < count; ++i) names.insert(layers_[i].node);
    return names;
  }

  TrialResult measure(const Names& names) {
    if (context_.is_cancelled()) return {};
    const TrialResult trial = runs_.measure(names);
    ++trials_made_;
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
  std::size_t trials_made_ = 0;
};

}  // namespace detail

/// The pass that keeps as few layers in float as it takes for outputs near those of the float graph, on all samples:
/// what the passes that quantize, and come next, make of a copy is measured, so that the goal is met by what they will
/// make of the graph. Layers are ranked as analyze() ranks them, on trials.samples; bisection finds how many of the
/// worst it takes; of these each that is not needed goes, the least bad first. So it is a small number, not always the
/// least one. Runs the samples about log2(layers) + kept times, and the first ones once for each layer. Its notes tell
/// what stays in float, how many pairs are left, for other operators may no longer pay then, and what is reached, as
/// does the GoalResult that it provides. Where the goal cannot be reached, or only by a graph without pairs, it is not
/// met, and all candidates stay in float. What exclude_nodes() names stays there too. Samples, make_executor and the
/// model are treated as by analyze().
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass keep_fewest_in_float(const FidelityGoal& goal, const Pass& quantize, Samples samples, LayerTrials trials = {},
                          MakeExecutor make_executor = {}) {
  const auto run = [goal, quantize, samples = std::move(samples), trials = std::move(trials), make_executor](
                       Graph& graph, Context& context) {
    Report report;
    const detail::TrialRuns runs(graph, quantize, samples, std::numeric_limits<std::size_t>::max(), make_executor,
                                 context);
    GoalResult found = detail::FewestInFloat(goal, runs, trials, context).find();
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    found.nameless = runs.nameless();
    for (const std::string& name : found.in_float) report.notes.push_back("'" + name + "' stays in float");
    report.notes.push_back(to_string(found));
    if (found.nameless != 0 && !found.met) report.notes.push_back(detail::note_of_nameless(found.nameless));
    report.changes = found.in_float.size();
    KeptInFloat kept = KeptInFloat::of(context.facts);
    for (const std::string& name : found.in_float) kept.reasons.try_emplace(name, "for the goal that was set");
    context.facts.provide(std::move(kept));
    context.facts.provide(std::move(found));
    return report;
  };
  return detail::needing(pass("keep_fewest_in_float", run).template provides<KeptInFloat>().template provides<GoalResult>(), quantize);
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/keep_fewest_in_float.ipp>
#endif
