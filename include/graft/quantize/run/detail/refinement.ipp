#pragma once
#include <graft/quantize/run/detail/refinement.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/run/detail/typical_time.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>
#include <graft/quantize/tune/refine_ranges.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE bool refine_chosen_ranges(QuantizeCall& call, const Candidate& chosen, const CandidateTrials& trials) {
  const StaticOptions& options = call.static_options();
  QuantizeResult& result = call.result;
  Context& context = call.context;
  if (!call.options.compare || result.trials.empty()) return true;
  const Fidelity reached = result.trials.front().fidelity;
  if (reached.is_near() || reached.is_poor()) return true;
  constexpr std::size_t max_samples = 24, least_samples = 12;  // fewer do not tell a gain from noise
  if (options.search_runs < least_samples || call.samples->size().value_or(0) < least_samples) return true;
  const std::size_t pairs =
      count_quantizers(TrialCopy(call.model, context, inject_qdq(call.target, options.placement)).model.graph());
  RangeRefinement refinement{.placement = options.placement,
                             .samples = std::min(options.search_runs / std::max<std::size_t>(pairs, 1), max_samples)};
  if (refinement.samples < least_samples) return true;
  const SampleSource samples = spread(*call.samples, refinement.samples);
  for (const RangeOverride& given : options.range_overrides) refinement.keep.push_back(given.tensors);
  const Ranges before = *context.facts.find<Ranges>();
  if (!call.step(refine_ranges(samples, call.target, refinement, call.trial_executor))) return false;
  const RefinedRanges refined = *context.facts.find<RefinedRanges>();
  if (!refined.changed.empty()) {
    // Weights stay in float while ranges are refined, and the trials have more samples.
    const Fidelity now = trials.measure(call.model, context, chosen.quantize, call.target).fidelity;
    if (context.is_cancelled()) return false;
    if (now.cosine < reached.cosine) {
      context.facts.provide(before);
      result.passes.steps.back().notes.emplace_back("taken back: the quantized model is farther from float with them");
      return true;
    }
    result.accuracy = {now, trials.samples()};
  }
  result.refined = refined;
  for (const std::string& name : result.refined->changed) {
    const Range &was = before.at(name), &is = context.facts.find<Ranges>()->at(name);
    const Range* const plain = result.ranges.find(name);
    const float factor = was.max != 0 ? is.max / was.max : is.min / was.min;
    if (plain == nullptr) continue;
    if (*plain == was) result.ranges.set(name, is);
    else result.ranges.set(name, {plain->min * factor, plain->max * factor});  // weights are rescaled around it
  }
  return true;
}

/// For the layers that keep_fewest_in_float() found where no goal was set.
inline void give_poor_as_reason(QuantizeCall& call) {
  constexpr std::string_view reason = "outputs are poor with it in integers";
  const GoalResult& found = call.result.poor_layers->found;
  KeptInFloat& kept = *call.context.facts.edit<KeptInFloat>();
  for (const std::string& name : found.in_float) kept.reasons.insert_or_assign(name, reason);
  if (ProductForms* const products = call.context.facts.edit<ProductForms>()) {
    for (const std::string& name : found.dynamic) products->choose(name, ProductForm::dynamic, reason);
    for (const std::string& name : found.weight_only) products->choose(name, ProductForm::weight_only, reason);
  }
  std::vector<std::string>& notes = call.result.passes.steps.back().notes;
  std::ranges::replace(notes, to_string(found), to_string(*call.result.poor_layers));
}

GRAFT_INLINE bool keep_layers_in_float(QuantizeCall& call, const Candidate& chosen, bool mixes_forms) {
  const StaticOptions& options = call.static_options();
  QuantizeResult& result = call.result;
  Context& context = call.context;
  const Target& target = call.target;
  const bool has_final_weights = !options.reconstruct && !options.bit_budget;
  const bool is_poor = !options.goal && has_final_weights && options.search_runs != 0 && !result.trials.empty() &&
                       result.trials.front().fidelity.is_poor();
  if (!options.goal && !is_poor) return true;
  LayerTrialOptions trials = is_poor ? LayerTrialOptions() : options.layer_trials;
  if (trials.forms.empty() && mixes_forms && chosen.places_pairs) {
    if (!target.dynamic_kernels.empty()) trials.forms.push_back(ProductForm::dynamic);
    if (block_cost(target, ProductForms::usual_bits) != nullptr) trials.forms.push_back(ProductForm::weight_only);
  }
  SampleSource samples = *call.samples;
  PoorLayers poor;
  if (is_poor) {
    TrialCopy copy(call.model, context, chosen.quantize);
    Graph& graph = copy.model.graph();
    poor.speedup_before = typical_time(graph, audit(graph, target), target, copy.context).speedup();
    // One half of the work ranks the layers, the other finds how many it takes.
    const std::size_t layers = std::max<std::size_t>(count_quantizers(graph), 1);
    trials.samples = std::clamp<std::size_t>(options.search_runs / 2 / layers, 1, trials.samples);
    samples = spread(samples, std::max<std::size_t>(options.search_runs / 64, 4));
  }
  const FidelityGoal goal = options.goal.value_or(FidelityGoal{.cosine = Fidelity::poor_cosine});
  if (!call.step(keep_fewest_in_float(goal, chosen.quantize, samples, trials, call.trial_executor))) return false;
  if (const auto* const found = context.facts.find<GoalResult>()) {
    poor.found = *found;
    if (is_poor) result.poor_layers = poor;
    else result.goal = *found;
    if (is_poor) give_poor_as_reason(call);
    // A poor way that stays as it is has the figure that it had.
    if (found->outcome > (is_poor ? GoalOutcome::met_by_all : GoalOutcome::nothing_quantized))
      result.accuracy = {found->reached, samples.size().value_or(result.calibration_samples)};
  }
  return true;
}

}  // namespace graft::inline v1::detail
