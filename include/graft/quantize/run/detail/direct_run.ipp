#pragma once
#include <graft/quantize/run/detail/direct_run.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/prepare/nan_inputs.hpp>
#include <graft/quantize/run/check_options.hpp>
#include <graft/quantize/run/detail/candidate_trials.hpp>
#include <graft/quantize/run/detail/judge_result.hpp>
#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/run/detail/output_check.hpp>
#include <graft/quantize/run/detail/report_unread.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/sample_split.hpp>
#include <graft/quantize/run/detail/standard_operators.hpp>
#include <graft/quantize/run/detail/trial_executor.hpp>
#include <graft/quantize/run/detail/unmatched_excludes.hpp>
#include <graft/quantize/run/detail/withdraw_observations.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/shapes.hpp>

namespace graft::inline v1::detail {

template <class Calibrated>
Pass quantizing_pass(const Target&, const Calibrated&) {
  throw Error("needs ranges");
}
inline Pass quantizing_pass(const Target& target, const DynamicOptions& options) {
  return quantize_dynamic(target, options);
}

inline Pass quantizing_pass(const Target& target, const BlockwiseOptions& options) {
  return quantize_weights_blockwise(target, options);
}

/// Whether samples show what the pass of the mode wants to know.
inline bool learns(const QuantizationMode& mode) {
  const auto* const blocks = std::get_if<BlockwiseOptions>(&mode);
  return blocks != nullptr && blocks->method != BlockMethod::nearest;
}

/// Whether samples decide in what MatMulNBits multiplies.
inline bool chooses_level(const QuantizationMode& mode) {
  const auto* const blocks = std::get_if<BlockwiseOptions>(&mode);
  return blocks != nullptr && !blocks->accuracy_level && blocks->operators == BlockOperators::contrib;
}

using ResultNames = std::set<std::string, std::less<>>;

/// f(scope, node) for each MatMulNBits with a result.
template <class Function>
void for_each_nbits(Graph& graph, const Function& f) {
  for (Graph* const scope : with_bodies(graph))
    for (Node& node : scope->nodes())
      if (node.is("com.microsoft::MatMulNBits") && node.output_count() != 0) f(*scope, node);
}

/// The results of those that are there.
inline ResultNames results_of_nbits(Graph& graph) {
  ResultNames names;
  for_each_nbits(graph, [&](Graph&, const Node& node) { names.emplace(node.output(0)->name()); });
  return names;
}

/// Of all MatMulNBits but those that another tool has made.
inline Pass set_accuracy_level(std::int64_t level, const ResultNames& others) {
  return pass("set_accuracy_level",
              [level, others](Graph& graph, Context&) {
                Report report;
                for_each_nbits(graph, [&](Graph& scope, Node& node) {
                  if (others.contains(node.output(0)->name())) return;
                  scope.set_attribute(node, {"accuracy_level", level});
                  ++report.changes;
                });
                return report;
              })
      .preserves_all();
}

/// Multiplies in float32 where products of int8, which are much faster, lose more than the integers of weights do, and
/// enough to matter. By weights of 8 bits that takes far longer than without quantization: a poor result alone is worth
/// it.
inline void choose_accuracy_level(Model& model, const ResultNames& others, Context& context,
                                  const CandidateTrials& trials, const Target& target, int weight_bits,
                                  QuantizeResult& result) {
  const Fidelity rounded = result.trials.front().fidelity;
  if (rounded.is_near() || (weight_bits > 4 && !rounded.is_poor())) return;
  const Pass in_float = set_accuracy_level(1, others);
  const QuantizeTrial exact{"accuracy level 1", trials.measure(model, context, in_float, target).fidelity};
  result.trials.push_back(exact);
  if (1 - rounded.cosine <= 2 * (1 - exact.fidelity.cosine)) return;
  run_step(in_float, model, context, result.passes);
  std::swap(result.trials.front(), result.trials.back());
}

/// A note for each name in the options that matches no node.
inline std::vector<std::string> unmatched_names(Model& prepared, const QuantizeOptions& options,
                                                const Context& context) {
  std::vector<std::string> notes = unmatched_excludes(prepared, options, context);
  if (const auto* const dynamic = std::get_if<DynamicOptions>(&options.mode))
    for (std::string& note : dynamic->weights.unmatched(prepared.graph())) notes.push_back(std::move(note));
  return notes;
}

/// What the model has none of, where there is nothing to quantize.
inline std::string what_is_lacking(const Graph& graph, const std::vector<OperatorOutcome>& products, bool is_dynamic) {
  if (!products.empty()) return {};
  const auto is_conv = [](const Node& node) { return node.is("Conv") || node.is("ConvTranspose"); };
  return std::string(is_dynamic ? "MatMul, Gemm or LSTM" : "MatMul or Gemm") + " by a constant" +
         (std::ranges::any_of(graph.nodes(), is_conv) ? "; convolutions take static quantization, on samples" : "");
}

GRAFT_INLINE QuantizeResult quantize_directly(Model& model, const std::optional<SampleSource>& samples,
                                              const Target& target, const QuantizeOptions& options, Context& context) {
  check_options(options);
  if (samples && options.compare && learns(options.mode) && !samples->begins_anew())
    throw Error("the samples can be gone through only once: hold them in a vector, or do not compare");
  QuantizeResult result;
  Report& passes = result.passes;
  passes.pass = "quantize";
  passes.nodes_before = model.graph().nodes().size();
  const auto step = [&](const Pass& pass) { return run_step(pass, model, context, passes); };
  const Pass quantizing = std::visit([&](const auto& mode) { return quantizing_pass(target, mode); }, options.mode);
  const bool is_dynamic = std::holds_alternative<DynamicOptions>(options.mode);
  std::vector<OperatorOutcome> products;
  OutputCheck check(options, context, passes);
  const std::optional<SampleSource> all = samples ? std::optional(check.watching(*samples)) : std::nullopt;
  withdraw_observations(context.facts);
  if (step(prepare_model(target, options))) {
    for (std::string& note : unmatched_names(model, options, context)) warn(std::move(note), context, passes);
    const std::size_t most = options.compare ? options.max_held_out : 0;
    std::optional<SampleSplit> split;
    if (all) split.emplace(*all, learns(options.mode) ? most : 0);
    if (split && learns(options.mode)) {
      if (!step(observe_gram_matrices(split->calibration, options.make_executor.value_or(ExecutorFactory()))))
        return result;
      result.calibration_samples = static_cast<std::size_t>(context.facts.find<Statistics<GramMatrix>>()->samples);
    }
    std::optional<CandidateTrials> trials;
    if (split && options.compare) {
      const ExecutorFactory make_executor = trial_executor(options, context);
      const auto measure_on = [&](const SampleSource& some) {
        trials.emplace(model.graph(), std::vector{some}, std::max<std::size_t>(most, 1), make_executor, context);
      };
      measure_on(split->held_out);
      report_unread(trials->unreadable(), passes);
      if (trials->samples() == 0 && split->held_out_samples != 0) {
        split->held_out_samples = 0;
        measure_on(split->calibration);
      }
      if (trials->samples() == 0 && !context.is_cancelled()) throw Error("there is no sample to measure on");
    }
    all ? check.run_float(model.graph(), *all) : check.run_float(model.graph(), Ranges());
    check.remember(model);
    if (trials && is_dynamic) step(keep_nan_inputs_in_float(trials->source(), trial_executor(options, context)));
    // ONNX Runtime fuses normalization with the sum before it only where their shapes are declared.
    products = products_by_constants(model.graph());
    const ResultNames others = results_of_nbits(model.graph());
    if (step(quantizing) && step(infer_shapes()) && trials) {
      const Pass nothing = pass("nothing", [](Graph&, Context&) { return Report(); });
      result.trials.push_back({to_string(quantizing), trials->measure(model, context, nothing, target).fidelity});
      if (chooses_level(options.mode)) {
        const int weight_bits = std::get<BlockwiseOptions>(options.mode).form.bits;
        choose_accuracy_level(model, others, context, *trials, target, weight_bits, result);
      }
      const bool are_unseen = split->held_out_samples != 0 || !learns(options.mode);
      if (are_unseen) result.held_out_samples = trials->samples();
      result.accuracy = {result.trials.front().fidelity, trials->samples(), are_unseen};
    }
    write_standard_operators(model, context, passes);
  }
  result.checked = check.expect_sound(model.graph());
  judge_outputs(result, samples, context);
  const OperatorForm form = is_dynamic ? OperatorForm::dynamic : OperatorForm::weight_only;
  collect_outcomes(quantizing.name(), context.facts.value_or_default<FloatOutcomes>(), products,
                   {form, "all are, as was asked for"}, result);
  if (!context.is_cancelled()) warn_of_nothing(result, what_is_lacking(model.graph(), products, is_dynamic), context);
  if (context.is_cancelled()) passes.outcome = Outcome::cancelled;
  passes.nodes_after = model.graph().nodes().size();
  return result;
}

}  // namespace graft::inline v1::detail
