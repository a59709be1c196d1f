#pragma once
#include <graft/quantize/tune/detail/fewest_in_float.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/rewrite/fewest.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE FewestInFloat::FewestInFloat(const FidelityGoal& goal, Measure measure, Ranking ranking,
                                          std::function<bool()> may_go_on, const Context& context, ProductForm products)
    : goal_(goal),
      measure_(std::move(measure)),
      ranking_(std::move(ranking)),
      may_go_on_(std::move(may_go_on)),
      context_(context),
      products_(products) {}

GRAFT_INLINE GoalResult FewestInFloat::find() {
  GoalResult result;
  const TrialResult without = measure_({}, true);
  ++trials_made_;
  result.with_none_in_float = result.reached = without.fidelity;
  result.pairs_with_none_in_float = result.pairs = without.pairs;
  result.trials = trials_made_;
  if (!without.is_quantized) return result;
  result.met = goal_.is_met_by(result.reached);
  result.outcome = GoalOutcome::met_by_all;
  if (result.met) return result;
  layers_ = ranking_();
  Names names = first(layers_.size());
  const TrialResult all = measure(names, true);
  TrialResult found = all;
  const bool is_near = goal_.is_met_by(found.fidelity);
  if (is_near && !layers_.empty()) {
    const std::size_t count = shortest(found);
    names = first(count);
    drop(names, found, count - 1);
  }
  result.met = is_near && found.is_quantized;
  result.outcome = result.met ? GoalOutcome::met : is_near ? GoalOutcome::met_without_pairs : GoalOutcome::not_met;
  if (!result.met) {
    names = first(layers_.size());
    found = all;
  }
  for (const std::string& layer : layers_)
    if (names.contains(layer)) result.in_float.push_back(layer);
  result.layers = layers_.size();
  result.reached = found.fidelity;
  result.pairs = found.pairs;
  result.trials = trials_made_;
  return result;
}

GRAFT_INLINE FewestInFloat::Names FewestInFloat::first(std::size_t count) const {
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.insert(layers_[i]);
  return names;
}

GRAFT_INLINE TrialResult FewestInFloat::measure(const Names& names, bool to_the_end) {
  if (context_.is_cancelled()) return {};
  const TrialResult trial = measure_(names, to_the_end);
  ++trials_made_;
  context_.write_log(std::to_string(names.size()) + (names.size() == 1 ? " layer" : " layers") + " in float" +
                (products_ == ProductForm::in_float
                     ? ", "
                     : ", products among them " + std::string(to_string(products_)) + ", ") +
                std::to_string(trial.pairs) + " pairs: " + to_string(trial.fidelity));
  return trial;
}

GRAFT_INLINE std::size_t FewestInFloat::shortest(TrialResult& found) {
  const auto is_enough = [&](std::size_t count) {
    const TrialResult trial = measure(first(count));
    const bool is_met = goal_.is_met_by(trial.fidelity);
    if (is_met) found = trial;
    return is_met;
  };
  return shortest_prefix(layers_.size(), is_enough, may_go_on_);
}

GRAFT_INLINE void FewestInFloat::drop(Names& names, TrialResult& found, std::size_t count) {
  const auto without = [&](std::size_t begin, std::size_t end) {
    Names fewer = names;
    for (std::size_t i = begin; i < end; ++i) fewer.erase(layers_[i]);
    const TrialResult trial = measure(fewer);
    if (!goal_.is_met_by(trial.fidelity)) return;
    if (products_ == ProductForm::in_float && trial.pairs < found.pairs) return;
    names = std::move(fewer);
    found = trial;
  };
  drop_needless(count, without, may_go_on_);
}

}  // namespace graft::inline v1::detail
