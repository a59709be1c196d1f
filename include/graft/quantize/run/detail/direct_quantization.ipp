#pragma once
#include <graft/quantize/run/detail/direct_quantization.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/input_extents.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/prepare/nan_inputs.hpp>
#include <graft/quantize/run/detail/candidate_trials.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/tune/choose_weight_bits.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/shapes.hpp>

namespace graft::inline v1::detail {

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
inline void choose_accuracy_level(QuantizeCall& call, const ResultNames& others, const CandidateTrials& trials,
                                  int weight_bits) {
  QuantizeResult& result = call.result;
  const Fidelity rounded = result.trials.front().fidelity;
  if (rounded.is_near() || (weight_bits > 4 && !rounded.is_poor())) return;
  const Pass in_float = set_accuracy_level(1, others);
  const QuantizeTrial exact{"accuracy level 1",
                            trials.measure(call.model, call.context, in_float, call.target).fidelity};
  result.trials.push_back(exact);
  if (1 - rounded.cosine <= 2 * (1 - exact.fidelity.cosine)) return;
  call.step(in_float);
  std::swap(result.trials.front(), result.trials.back());
}

GRAFT_INLINE AppliedForms quantize_directly(QuantizeCall& call, OutputCheck& check) {
  const QuantizationMode& mode = call.options.mode;
  const auto* const dynamic = std::get_if<DynamicOptions>(&mode);
  const auto* const blocks = std::get_if<BlockwiseOptions>(&mode);
  AppliedForms applied{.all = OneForm{dynamic != nullptr ? OperatorForm::dynamic : OperatorForm::weight_only,
                                      "all are, as was asked for"}};
  Context& context = call.context;
  QuantizeResult& result = call.result;
  const bool compares = call.options.compare;

  // Observe.
  const std::size_t most = compares ? call.options.max_held_out : 0;
  std::optional<SampleFolds> folds;
  if (call.samples) folds = SampleFolds::split(*call.samples, learns(mode) ? most : 0);
  const bool learning = folds && learns(mode), has_choice = learning && blocks->bits_per_weight;
  // Samples that can be gone through only once need all Gram matrices at once.
  const bool by_group = learning && folds->calibrated.front().begins_anew();
  if (learning && !by_group && !call.step(observe_gram_matrices(folds->calibrated.front(), call.executor)))
    return applied;
  if (has_choice && !call.step(by_group ? choose_weight_bits(call.target, *blocks, folds->calibrated.front(),
                                                             {call.executor})
                                        : choose_weight_bits(call.target, *blocks)))
    return applied;
  const Pass quantizing =
      dynamic != nullptr ? quantize_dynamic(call.target, *dynamic)
      : by_group ? quantize_weights_blockwise(call.target, *blocks, folds->calibrated.front(), {call.executor})
                 : quantize_weights_blockwise(call.target, *blocks);
  std::optional<CandidateTrials> trials;
  if (folds && compares) {
    trials = judging_trials(call, *folds, std::max<std::size_t>(most, 1));
    if (trials->samples() == 0 && !call.is_cancelled()) throw Error("there is no sample to measure on");
  }
  call.samples ? check.run_float(call.model.graph(), *call.samples) : check.run_float(call.model.graph(), Ranges());
  check.remember(call.model);
  if (trials && dynamic != nullptr) call.step(keep_nan_inputs_in_float(trials->source(), call.trial_executor));

  // Apply the only candidate, and judge it.
  applied.products = products_by_constants(call.model.graph());
  const ResultNames others = results_of_nbits(call.model.graph());
  // ONNX Runtime fuses normalization with the sum before it only where their shapes are declared.
  if (!call.step(quantizing) || !call.step(infer_shapes())) return applied;
  if (const auto* const seen = context.facts.find<InputExtents>(); folds && learns(mode) && seen != nullptr)
    result.calibration_samples = seen->samples();  // without a product none ran
  if (!trials) return applied;
  const Pass nothing = pass("nothing", [](Graph&, Context&) { return Report(); });
  result.trials.push_back({to_string(quantizing), trials->measure(call.model, context, nothing, call.target).fidelity});
  if (chooses_level(mode)) choose_accuracy_level(call, others, *trials, blocks->weights.bits);
  const bool are_unseen = folds->are_unseen || !learns(mode);
  if (are_unseen) result.held_out_samples = trials->samples();
  result.accuracy = {result.trials.front().fidelity, trials->samples(), are_unseen};
  return applied;
}

}  // namespace graft::inline v1::detail
