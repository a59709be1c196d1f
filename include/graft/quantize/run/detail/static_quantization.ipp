#pragma once
#include <graft/quantize/run/detail/static_quantization.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/run/detail/candidate_search.hpp>
#include <graft/quantize/run/detail/prepared_model.hpp>
#include <graft/quantize/run/detail/refinement.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/quantize/tune/choose_bit_widths.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>
#include <graft/quantize/tune/reconstruct.hpp>
#include <graft/surgery/shapes.hpp>

namespace graft::inline v1::detail {

inline Ranges with_overrides(const QuantizeCall& call, Ranges ranges) {
  Context scratch;
  scratch.facts.provide(std::move(ranges));
  override_ranges(call.static_options().range_overrides).run(call.model, scratch);
  return *scratch.facts.find<Ranges>();
}

inline void expect_ranges_of(const Graph& graph, const Ranges& known) {
  const std::vector<const Value*> values = observable(graph);
  const auto has_range = [&](const Value* value) { return known.find(value->name()) != nullptr; };
  if (!values.empty() && std::ranges::none_of(values, has_range))
    throw Error("are of no tensor of this model").field("ranges").code("unknown_ranges");
}

/// A copy in which weights are rescaled, if that is asked for and changes anything.
class RescaledModel {
 public:
  RescaledModel(QuantizeCall& call, const std::vector<Rescaling>& rescaling) {
    if (rescaling.empty()) return;
    copy_ = call.model.clone();
    context_ = call.context;
    std::string names;
    for (const Rescaling& one : rescaling)
      if (one.pass.run(*copy_, context_).changes != 0) names += ", " + one.name;
    if (!names.empty()) prepared_ = PreparedModel{&*copy_, &context_, std::move(names)};
  }

  /// nullptr if nothing was rescaled.
  PreparedModel* prepared() { return prepared_ ? &*prepared_ : nullptr; }

 private:
  std::optional<Model> copy_{};
  Context context_{};
  std::optional<PreparedModel> prepared_{};
};

/// What samples have shown of the model, and of a copy with rescaled weights.
struct Observed {
  std::optional<SampleFolds> folds{};  ///< none without samples
  PreparedModel plain;
  std::unique_ptr<RescaledModel> copy{};

  PreparedModel* rescaled() const { return copy ? copy->prepared() : nullptr; }
  /// That with the most accurate weights, if nothing is compared.
  const PreparedModel& best() const { return rescaled() != nullptr ? *rescaled() : plain; }
};

/// Incomplete if the call is cancelled.
inline Observed observe_samples(QuantizeCall& call, const RangePlan& plan, const CandidateMaker& maker,
                                OutputCheck& check) {
  Graph& graph = call.model.graph();
  Observed seen{.plain = {&call.model, &call.context}};
  if (plan.known != nullptr) {
    expect_ranges_of(graph, *plan.known);
    call.context.facts.provide(*plan.known);
  }
  if (!call.samples) {
    check.run_float(graph, with_overrides(call, *plan.known));
    drop_dead_channels(call, *plan.known);
    return seen;
  }
  const std::size_t most = plan.compares ? call.options.max_held_out : 0;
  seen.folds =
      plan.methods.empty() ? SampleFolds::split(*call.samples, most) : SampleFolds::mergeable(*call.samples, most);
  if (!observe(call, plan, seen.folds->calibrated, seen.plain) || call.is_cancelled()) return seen;
  check.run_float(graph, *call.samples);
  drop_dead_channels(call, seen.plain.ranges(plan, 0));
  if (plan.known != nullptr) return seen;
  seen.copy = std::make_unique<RescaledModel>(call, maker.rescaling());
  if (PreparedModel* const rescaled = seen.rescaled())
    observe(call, plan, seen.folds->calibrated, *rescaled, &seen.plain);
  return seen;
}

/// Brings the model to where the chosen candidate starts, with its ranges.
inline bool prepare_for_candidate(QuantizeCall& call, const RangePlan& plan, const CandidateMaker& maker,
                                  const Observed& seen, const Candidate& chosen) {
  const std::size_t method = chosen.method.value_or(0);
  QuantizeResult& result = call.result;
  result.ranges = with_overrides(call, seen.plain.ranges(plan, method));
  if (plan.known == nullptr) result.range_method = plan.only ? *plan.only : plan.methods[method];
  Ranges ranges = chosen.base->ranges(plan, method);
  if (chosen.base == seen.rescaled()) {
    for (const Rescaling& one : maker.rescaling())  // as in the copy: the model may be a view, which stays one
      if (!call.step(one.pass)) return false;
    call.context.facts = std::move(chosen.base->context->facts);
  }
  chosen.provide_products(maker.mixes_forms(), call.context.facts);
  call.context.facts.provide(std::move(ranges));
  return call.step(override_ranges(call.static_options().range_overrides));
}

/// Makes the passes that quantize with these forms of weights.
using QuantizeWith = std::function<Pass(const WeightForms& weights)>;

/// Chooses the bits of the budget, and the forms that have those of weights. False if the call is cancelled.
inline bool choose_widths(QuantizeCall& call, const QuantizeWith& quantize, WeightForms& weights) {
  if (!call.step(choose_bit_widths(quantize, *call.samples, weights, call.target, *call.static_options().bit_budget,
                                   call.trial_executor)))
    return false;
  call.result.bit_widths = *call.context.facts.find<ChosenBitWidths>();
  call.result.accuracy.reset();  // that of the candidate
  weights = call.result.bit_widths->weights(weights);
  return true;
}

/// Learns the rounding of the quantized model. False if the call is cancelled.
inline bool reconstruct_layers(QuantizeCall& call, const Model& floats, const WeightForms& weights) {
  const StaticOptions& options = call.static_options();
  if (!call.step(reconstruct(floats.graph(), *call.samples, weights, call.target, *options.reconstruct,
                             call.trial_executor)))
    return false;
  call.result.reconstructed = *call.context.facts.find<ReconstructedLayers>();
  call.result.accuracy.reset();  // that of the candidate
  return true;
}

/// Whether weights get bits after the choice, which is between ranges then.
inline bool narrows_later(const StaticOptions& options) { return options.reconstruct || options.bit_budget; }

/// Measures the quantized model against the goal, on all samples: layers were found with other weights. False if the
/// call is cancelled.
inline bool measure_goal(QuantizeCall& call, const Graph& floats) {
  const auto measure = [&](Graph& graph, Context& context) {
    Report report;
    const MeasuredOutputs measured(floats);
    const Fidelity reached = analyze_graphs(floats, graph, {}, measured, measured.in_quantized(graph), *call.samples,
                                            call.trial_executor, context)
                                 .outputs;
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    GoalResult& goal = *call.result.goal;
    const bool was_met = goal.met;
    goal.reached = reached;
    goal.met = goal.outcome != GoalOutcome::met_without_pairs && call.static_options().goal->is_met_by(reached);
    if (goal.met != was_met) goal.outcome = goal.met ? GoalOutcome::met : GoalOutcome::lost;
    call.result.accuracy = {reached, call.samples->size().value_or(call.result.calibration_samples)};
    context.facts.provide(goal);
    report.notes.push_back(to_string(goal));
    return report;
  };
  return call.step(pass("measure_goal", measure).provides<GoalResult>().preserves_all());
}

/// Refines ranges, finds layers to keep in float, and quantizes. False if the call is cancelled.
inline bool apply_candidate(QuantizeCall& call, const CandidateMaker& maker, const Candidate& chosen,
                            const QuantizeWith& quantize, std::optional<CandidateTrials> trials) {
  const StaticOptions& options = call.static_options();
  Facts& facts = call.context.facts;
  if (!chosen.method) {
    if (options.analyze) call.warn("dynamic quantization was chosen, which has no pairs to analyze");
    return call.step(chosen.quantize) && call.step(infer_shapes());  // for the runtime's fusions
  }
  if (chosen.before && !call.step(*chosen.before)) return false;
  if (trials && chosen.places_pairs && !refine_chosen_ranges(call, chosen, *trials)) return false;
  trials.reset();
  const KeptInFloat kept = facts.value_or_default<KeptInFloat>();
  if (call.samples && !keep_layers_in_float(call, chosen, maker.mixes_forms())) return false;
  if (options.analyze) {
    if (!call.step(analyze(chosen.quantize, *call.samples, options.layer_trials, call.trial_executor))) return false;
    if (const auto* const analysis = facts.find<Analysis>()) call.result.analysis = *analysis;
  }
  WeightForms weights = options.weights;
  if (options.bit_budget && !choose_widths(call, quantize, weights)) return false;
  const std::optional<GoalResult>& goal = call.result.goal;
  const bool narrows = narrows_later(options);
  const bool may_lose_goal = narrows && goal && goal->outcome != GoalOutcome::nothing_quantized;
  std::optional<Model> floats;
  if (options.reconstruct || may_lose_goal) floats = call.model.clone();
  if (!call.step(narrows && chosen.places_pairs ? quantize(weights) : chosen.quantize)) return false;
  if (options.reconstruct && !reconstruct_layers(call, *floats, weights)) return false;
  if (may_lose_goal && !measure_goal(call, floats->graph())) return false;
  const bool has_other_forms = !chosen.places_pairs || facts.value_or_default<ProductForms>().size() != 0;
  if (has_other_forms && !call.step(infer_shapes())) return false;
  if (call.result.poor_layers) facts.provide(kept);  // nobody asked for them, and another model may have the names
  return true;
}

GRAFT_INLINE AppliedForms quantize_statically(QuantizeCall& call, const RangePlan& plan, OutputCheck& check) {
  const StaticOptions& options = call.static_options();
  if (options.activations == Activations::mixed && !(call.target.has(Quirk::converts_operands) && plan.compares))
    throw Error("mixed activations need samples, comparison and a target that converts operands, such as qnn-htp")
        .field("activations");
  const CandidateMaker maker(call, plan, narrows_later(options) ? options.weights.for_tables() : options.weights);
  AppliedForms applied{.has_pairs = true};
  if (maker.mixes_forms()) call.context.facts.provide(ProductForms());
  if (options.exclude_ends) call.step(keep_ends_in_float(call.target));
  if (!options.activation_overrides.empty()) call.step(override_activations(options.activation_overrides));

  Observed seen = observe_samples(call, plan, maker, check);
  if (call.is_cancelled()) return applied;
  Candidate chosen = maker.pairs(seen.best(), 0);
  std::optional<CandidateTrials> trials;
  if (seen.folds && plan.compares) {
    const std::size_t most = call.options.max_held_out;
    trials = judging_trials(call, *seen.folds, most != 0 ? most : QuantizeOptions().max_held_out);
    if (seen.folds->are_unseen) call.result.held_out_samples = trials->samples();
    chosen = best_candidate(call, plan, maker, *trials, seen.plain, seen.rescaled());
  }
  if (call.is_cancelled() || !prepare_for_candidate(call, plan, maker, seen, chosen)) return applied;
  const QuantizeWith quantize = [&](const WeightForms& weights) {
    return CandidateMaker(call, plan, weights).pairs(seen.plain, *chosen.method).quantize;
  };
  seen.copy.reset();
  applied.products = products_by_constants(call.model.graph());
  check.remember(call.model);
  if (!chosen.method) {
    applied.has_pairs = false;
    applied.all = {OperatorForm::dynamic, "all are, which is nearest to float"};
  }
  apply_candidate(call, maker, chosen, quantize, std::move(trials));
  return applied;
}

}  // namespace graft::inline v1::detail
