#pragma once
#include <graft/quantize/tune/keep_fewest_in_float.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/detail/fewest_in_float.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const GoalResult& result) {
  const std::string kept =
      std::to_string(result.in_float.size()) + " of " + std::to_string(result.layers) + " layers in float" +
      (result.dynamic.empty() ? "" : " and " + std::to_string(result.dynamic.size()) + " dynamic") +
      (result.weight_only.empty() ? "" : " and " + std::to_string(result.weight_only.size()) + " weight-only");
  std::string text;
  switch (result.outcome) {
    case GoalOutcome::nothing_quantized: return "nothing is quantized, whatever stays in float";
    case GoalOutcome::met_by_all: return "the goal is reached with every layer quantized: " + to_string(result.reached);
    case GoalOutcome::met:
      text = "the goal is reached with " + kept + ", " + std::to_string(result.pairs) + " of " +
             std::to_string(result.pairs_with_none_in_float) + " pairs left";
      break;
    case GoalOutcome::met_without_pairs: text = "the goal is reached only where nothing is quantized any more"; break;
    case GoalOutcome::not_met: text = "the goal cannot be reached, not even with " + kept; break;
    case GoalOutcome::lost:
      return "the goal was reached with " + (result.layers == 0 ? "every layer quantized" : kept) +
             ", but is not with the final weights: " + to_string(result.reached);
  }
  return text + ": " + to_string(result.reached) + "; with none in float: " + to_string(result.with_none_in_float);
}

GRAFT_INLINE Pass keep_fewest_in_float(const FidelityGoal& goal, const Pass& quantize, SampleSource samples,
                                       LayerTrialOptions trials, ExecutorFactory make_executor) {
  for (const ProductForm form : trials.forms) detail::refuse_placed_form(form);
  const bool writes_forms = !trials.forms.empty();
  const auto run = [goal, quantize, samples = std::move(samples), trials = std::move(trials),
                    make_executor = std::move(make_executor)](Graph& graph, Context& context) {
    Report report;
    // If ProductForms is empty, passes that write forms would apply to every product.
    if (!trials.forms.empty()) context.facts.edit_or_provide<ProductForms>();
    const detail::TrialRuns runs(graph, quantize, samples, std::numeric_limits<std::size_t>::max(), make_executor,
                                 context);
    if (goal.agreement > 0 && !runs.measured().decide())
      throw Error("no output decides between classes, so that there is no agreement: set a cosine or decibels as goal");
    std::optional<std::vector<std::string>> layers;
    const auto ranking = [&] {
      if (!layers) layers = runs.ranked(trials, "keep_fewest_in_float");
      return *layers;
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto may_go_on = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < trials.max_seconds;
    };
    const auto search = [&](ProductForm products) {
      const auto measure = [&](const detail::TrialRuns::Names& names, bool to_the_end) {
        return runs.measure(names, products, to_the_end ? -1 : goal.cosine);
      };
      return detail::FewestInFloat(goal, measure, ranking, may_go_on, context, products).find();
    };
    GoalResult found;
    std::vector<ProductForm> forms = trials.forms;
    forms.push_back(ProductForm::in_float);
    for (const ProductForm form : forms) {
      const std::size_t in_vain = found.trials;
      found = search(form);
      found.trials += in_vain;
      if (found.outcome >= GoalOutcome::met_without_pairs && form != ProductForm::in_float) continue;
      const auto first = std::stable_partition(found.in_float.begin(), found.in_float.end(),
                                               [&](const std::string& name) { return !runs.can_be(name, form); });
      (form == ProductForm::dynamic ? found.dynamic : found.weight_only).assign(first, found.in_float.end());
      found.in_float.erase(first, found.in_float.end());
      break;
    }
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    found.nameless = runs.nameless();
    for (const std::string& name : found.in_float) report.notes.push_back("'" + name + "' stays in float");
    for (const std::string& name : found.dynamic)
      report.notes.push_back("'" + name + "' is quantized as the model runs");
    for (const std::string& name : found.weight_only) report.notes.push_back("'" + name + "' is weight-only");
    report.notes.push_back(to_string(found));
    if (found.nameless != 0 && !found.met) report.notes.push_back(detail::note_of_nameless(found.nameless));
    report.changes = found.in_float.size() + found.dynamic.size() + found.weight_only.size();
    KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    for (const std::string& name : found.in_float) kept.reasons.try_emplace(name, "for the goal that was set");
    context.facts.provide(std::move(kept));
    if (ProductForms* const products = context.facts.edit<ProductForms>())
      for (const auto& [names, form] :
           {std::pair(&found.in_float, ProductForm::in_float), std::pair(&found.dynamic, ProductForm::dynamic),
            std::pair(&found.weight_only, ProductForm::weight_only)})
        for (const std::string& name : *names) products->choose(name, form, "for the goal that was set");
    context.facts.provide(std::move(found));
    return report;
  };
  const Pass keep =
      detail::needing(pass("keep_fewest_in_float", run).provides<KeptInFloat>().provides<GoalResult>(), quantize);
  return writes_forms ? keep.provides<ProductForms>() : keep;
}

}  // namespace graft::inline v1
