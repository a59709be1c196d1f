#pragma once
#include <graft/quantize/run/quantize.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/lower/rms_normalization.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/cache/quantize_cache.hpp>
#include <graft/quantize/calibrate/input_extents.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/kernel/integer_form.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/run/detail/direct_quantization.hpp>
#include <graft/quantize/run/detail/original_model.hpp>
#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/run/detail/output_check.hpp>
#include <graft/quantize/run/detail/prepared_model.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>
#include <graft/quantize/run/detail/static_quantization.hpp>
#include <graft/quantize/run/detail/typical_time.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const QuantizeTrial& trial) {
  return trial.name + ": " + to_string(trial.fidelity) + (trial.ended_early ? ", on the first samples" : "") +
         (trial.within_noise ? ", nearer by no more than the noise" : "");
}

GRAFT_INLINE std::string to_string(const PoorLayers& poor) {
  const GoalResult& found = poor.found;
  const std::string all = std::to_string(found.layers);
  switch (found.outcome) {
    case GoalOutcome::nothing_quantized: return "nothing is quantized";
    case GoalOutcome::met_by_all: return "all of " + all + " layers stay in integers";
    case GoalOutcome::met_without_pairs: return "nothing stays in integers";
    case GoalOutcome::not_met: return "outputs stay poor with all " + all + " layers in float";
    case GoalOutcome::met:
    case GoalOutcome::lost: break;
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& layers, const char* what) {
    if (!layers.empty()) text += (text.empty() ? "" : ", ") + std::to_string(layers.size()) + " " + what;
  };
  add(found.in_float, "in float");
  add(found.dynamic, "dynamic");
  add(found.weight_only, "weight-only");
  return text + " of " + all + " layers, " + std::to_string(found.pairs) + " of " +
         std::to_string(found.pairs_with_none_in_float) + " pairs left";
}

GRAFT_INLINE bool QuantizeResult::run(const Pass& pass, Model& model, Context& context) {
  Report report = pass.run(model, context);
  for (const Report& part : report.steps) passes.seconds += part.steps.empty() ? part.seconds : 0;
  passes.seconds += report.steps.empty() ? report.seconds : 0;
  if (pass.steps().empty()) {
    passes.add(std::move(report));
  } else {
    for (Report& part : report.steps) passes.add(std::move(part));
  }
  return passes.outcome != Outcome::cancelled;
}

GRAFT_INLINE void QuantizeResult::audit_again(Graph& graph, const Target& target, const Context& context) {
  audit = graft::audit(graph, target);
  expected_time = detail::typical_time(graph, audit, target, context);
  std::map<FloatOutcomes::Key, std::size_t> places;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    places.emplace(FloatOutcomes::Key{outcomes[i].node, outcomes[i].scope}, i);
  const auto update = [&](OperatorOutcome& found) {
    const auto place = places.find({found.node, found.scope});
    if (place == places.end()) return outcomes.push_back(found);
    OperatorOutcome& known = outcomes[place->second];
    const bool is_other_form = known.form == OperatorForm::dynamic || known.form == OperatorForm::weight_only;
    if (found.severity != Severity::error && (known.is_kept || is_other_form)) return void(found = known);
    const bool is_product = known.is_product;
    const std::string text = found.text.empty() && found.form == known.form ? known.text : found.text;
    known = found;
    known.is_product = is_product;
    known.text = text;
  };
  std::ranges::for_each(audit.findings, update);
  std::ranges::for_each(audit.within, update);
}

namespace detail {

/// What was seen of another model, or of this one on other samples, may bear the same names.
inline void withdraw_observations(Facts& facts) {
  facts.withdraw<FloatOutcomes>();
  facts.withdraw<ProductForms>();
  facts.withdraw<IntegerCounts>();
  facts.withdraw<InputExtents>();
  facts.withdraw<Ranges>();
  facts.withdraw<Statistics<Histogram>>();
  facts.withdraw<Statistics<ChannelMeans>>();
  facts.withdraw<Statistics<ChannelExtremes>>();
  facts.withdraw<Statistics<FeatureMoments>>();
  facts.withdraw<Statistics<GramMatrix>>();
}

/// Warns of names in the options that match nothing: they may be typing errors, and calibration takes long.
inline void warn_of_names(QuantizeCall& call) {
  Context scratch;
  scratch.facts.provide(call.context.facts.value_or_default<KeptInFloat>());
  scratch.facts.provide(Ranges());
  const auto warn_of = [&](const std::vector<std::string>& notes) {
    for (const std::string& note : notes) call.warn(note);
  };
  warn_of(exclude_nodes(call.options.exclude).run(call.model, scratch).notes);
  if (const auto* const dynamic = std::get_if<DynamicOptions>(&call.options.mode))
    warn_of(dynamic->weights.unmatched(call.model.graph()));
  if (!call.options.is_static()) return;
  const StaticOptions& options = call.static_options();
  warn_of(override_ranges(options.range_overrides).run(call.model, scratch).notes);
  warn_of(override_activations(options.activation_overrides).run(call.model, scratch).notes);
  warn_of(options.weights.unmatched(call.model.graph()));
}

/// Replaces operators of the main domain that the standard does not have and onnx.checker refuses. Until then each is
/// one node, as kernels take it.
inline void write_standard_operators(QuantizeCall& call) {
  for (const Graph* const scope : with_bodies(call.model.graph()))
    for (const Node& node : scope->nodes())
      if (node.is("SimplifiedLayerNormalization")) {
        call.step(standard_rms_norms());
        return;
      }
}

/// Throws Error if caches are asked for that no kernel or no samples are for.
inline void check_cache_bits(const QuantizeCall& call) {
  if (!call.options.cache_bits) return;
  check_cache(call.target, *call.options.cache_bits);
  if (!call.samples) throw Error("needs samples").field("cache_bits");
  if (!call.samples->begins_anew())
    throw Error("the samples can be gone through only once: hold them in a vector").field("cache_bits");
}

/// Throws Error if no cache of the prepared model can be in the bits that are asked for.
inline void expect_caches(const QuantizeCall& call) {
  if (!call.options.cache_bits) return;
  if (const std::string why = why_caches_stay(call.model.graph(), call.target, *call.options.cache_bits); !why.empty())
    throw Error(why).field("cache_bits");
}

/// The samples, and the check of outputs, are for caches in float.
inline void quantize_caches(QuantizeCall& call) {
  if (!call.options.cache_bits) return;
  if (!call.step(quantize_cache(call.target, *call.options.cache_bits, *call.samples, call.executor))) return;
  const Report& report = call.result.passes.steps.back();
  call.result.caches = report.changes;
  if (report.changes == 0) call.warn(report.notes.front());
}

/// How ranges are found, if the call is static. Throws Error if options contradict each other or the samples, before
/// anything takes long.
inline std::optional<RangePlan> checked_plan(const QuantizeCall& call) {
  const std::optional<SampleSource>& samples = call.samples;
  if (!call.options.is_static()) {
    if (samples && call.options.compare && learns(call.options.mode) && !samples->begins_anew())
      throw Error("the samples can be gone through only once: hold them in a vector, or do not compare");
    const auto* const blocks = std::get_if<BlockwiseOptions>(&call.options.mode);
    if (blocks != nullptr) blocks->check();
    if (!samples && blocks != nullptr && blocks->bits_per_weight) throw Error("needs samples").field("bits_per_weight");
    return std::nullopt;
  }
  RangePlan plan(call.options);
  const StaticOptions& options = call.static_options();
  if (options.bit_budget && !options.candidates.empty())
    throw Error("excludes candidates, which choose the bits of weights by themselves").field("bit_budget");
  if (samples) {
    if (plan.compares && !samples->begins_anew())
      throw Error("the samples can be gone through only once: hold them in a vector, or use QuantizeOptions::fast()");
    return plan;
  }
  if (plan.known == nullptr) throw Error("there are neither samples nor ranges");
  const auto refuse = [](bool is_given, const char* option) {
    if (is_given) throw Error("needs samples").field(option);
  };
  refuse(options.goal.has_value(), "goal");
  refuse(options.analyze, "analyze");
  refuse(options.reconstruct.has_value(), "reconstruct");
  refuse(options.bit_budget.has_value(), "bit_budget");
  refuse(!options.candidates.empty(), "candidates");
  return plan;
}

/// Fills in what the report says of the quantized model.
inline void describe(const AppliedForms& applied, QuantizeCall& call) {
  QuantizeResult& result = call.result;
  Graph& graph = call.model.graph();
  if (applied.has_pairs) result.audit = audit(graph, call.target);
  if (call.options.is_static()) {
    result.expected_time = typical_time(graph, result.audit, call.target, call.context);
    result.pairs = static_cast<std::size_t>(std::ranges::count_if(graph.nodes(), is_quantize));
  }
  collect_outcomes(applied, call.context.facts, result);
}

/// Whether anything in the model is in integers, tables of static quantization aside.
inline bool has_integers(const QuantizeCall& call) {
  const QuantizeResult& result = call.result;
  const Graph& graph = call.model.graph();
  if (result.caches != 0) return true;
  if (!call.options.is_static()) return result.products + result.tables != 0;
  return count_quantizers(graph) + count_weight_only(graph) + result.products != 0 ||
         std::ranges::any_of(graph.nodes(), is_dequantize);
}

/// Why nothing is quantized.
inline std::string why_nothing(const QuantizeCall& call, const AppliedForms& applied) {
  if (!call.options.is_static() && applied.products.empty()) {
    const auto is_conv = [](const Node& node) { return node.is("Conv") || node.is("ConvTranspose"); };
    const bool has_conv = std::ranges::any_of(call.model.graph().nodes(), is_conv);
    const bool is_dynamic = std::holds_alternative<DynamicOptions>(call.options.mode);
    return std::string("the model has no ") + (is_dynamic ? "MatMul, Gemm or LSTM" : "MatMul or Gemm") +
           " by a constant" + (has_conv ? "; convolutions take static quantization, on samples" : "");
  }
  const std::vector<OperatorOutcome>& outcomes = call.result.outcomes;
  const auto first = std::ranges::find(outcomes, true, &OperatorOutcome::is_kept);
  if (first == outcomes.end()) return "the model has no operator that this target and placement quantize";
  const auto count = std::ranges::count(outcomes, true, &OperatorOutcome::is_kept);
  return std::to_string(count) + (count == 1 ? " operator stays" : " operators stay") + " in float; '" + first->node +
         "': " + first->text;
}

/// Samples are read several times; a reason counts once.
inline void collect_unreadable(QuantizeResult& result) {
  for (const Report& step : result.passes.steps)
    for (const std::string& why : step.unreadable)
      if (std::ranges::find(result.unreadable, why) == result.unreadable.end()) result.unreadable.push_back(why);
}

/// Warns of pairs that the target has no use for.
inline void judge_audit(QuantizeCall& call) {
  const QuantizeResult& result = call.result;
  if (result.pairs == 0 || result.audit.fused() != 0 || result.products != 0) return;
  const auto why = std::ranges::max_element(result.audit.findings, {}, &OperatorOutcome::severity);
  if (why != result.audit.findings.end())
    call.warn(std::string(call.target.name) + " computes no operator of the quantized model in integers; " +
              to_string(*why));
}

/// Warns of outputs that are poor. The accuracy is that of the last check, if nothing else was measured.
inline void judge_outputs(QuantizeCall& call) {
  QuantizeResult& result = call.result;
  if (!result.accuracy && result.checked) {
    const std::size_t count = call.samples->size().value_or(OutputCheck::max_samples);
    result.accuracy = {*result.checked, std::min(count, OutputCheck::max_samples)};
  }
  if (const auto poor = result.poor_fidelity())
    call.warn("the outputs are far from those of the float model: " + to_string(*poor));
}

/// The pipeline. Returns what quantized the model; incomplete if the call is cancelled.
inline AppliedForms run_pipeline(QuantizeCall& call, const std::optional<RangePlan>& plan, OutputCheck& check) {
  if (call.samples) call.samples = check.watching(*call.samples);
  withdraw_observations(call.context.facts);
  if (!call.step(prepare_model(call.target, call.options))) return {};
  expect_caches(call);
  warn_of_names(call);
  AppliedForms applied = plan ? quantize_statically(call, *plan, check) : quantize_directly(call, check);
  if (call.is_cancelled()) return applied;
  write_standard_operators(call);
  describe(applied, call);
  judge_audit(call);
  call.result.checked = check.expect_sound(call.model.graph());
  judge_outputs(call);
  quantize_caches(call);
  return applied;
}

inline QuantizeResult run_call(QuantizeCall call) {
  check_cache_bits(call);
  const std::optional<RangePlan> plan = checked_plan(call);
  QuantizeResult& result = call.result;
  result.passes.pass = "quantize";
  result.passes.nodes_before = call.model.graph().nodes().size();
  OriginalModel original(call.model);
  try {
    OutputCheck check(call.trial_executor, call.options.is_static(), call.context, result.passes);
    const AppliedForms applied = run_pipeline(call, plan, check);
    if (call.is_cancelled()) {
      result.passes.outcome = Outcome::cancelled;
      original.restore(call.model);
    } else if (!has_integers(call)) {
      original.restore_but_tables(call);
      if (result.tables == 0 && count_integer_forms(call.model.graph()).empty()) {
        result.nothing_quantized = why_nothing(call, applied);
        call.warn("nothing is quantized: " + result.nothing_quantized);
      }
    }
  } catch (...) {
    original.restore(call.model);
    throw;
  }
  collect_unreadable(result);
  result.passes.nodes_after = call.model.graph().nodes().size();
  return std::move(result);
}

}  // namespace detail

GRAFT_INLINE QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                                     const QuantizeOptions& options, Context& context) {
  return detail::run_call(detail::QuantizeCall(model, samples, target, options, context));
}

GRAFT_INLINE QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                                     const QuantizeOptions& options) {
  Context context;
  return quantize(model, samples, target, options, context);
}

GRAFT_INLINE QuantizeResult quantize(Model& model, const Target& target, const QuantizeOptions& options,
                                     Context& context) {
  return detail::run_call(detail::QuantizeCall(model, std::nullopt, target, options, context));
}

}  // namespace graft::inline v1
