#pragma once
#include <graft/quantize/kernel/condition.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/detail/backend_checks.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr IntegerKernel no_kernel{.op = {}, .dtypes = {}, .form = KernelForm::none};

inline const IntegerKernel& kernel_or_none(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = kernel_of_any_opset(node, target);
  return kernel != nullptr ? *kernel : no_kernel;
}

}  // namespace detail

GRAFT_INLINE KernelView::KernelView(const Node& viewed, const Target& its_target, ConditionStage its_stage,
                                    detail::Surroundings& around, const PlannedTensors* tensors)
    : node(viewed),
      target(its_target),
      stage(its_stage),
      kernel(detail::kernel_or_none(viewed, its_target)),
      planned(tensors),
      around_(around) {}

GRAFT_INLINE const std::vector<const Node*>& KernelView::operands() const {
  if (operands_) return *operands_;
  operands_.emplace();
  // Planning sees the nodes directly in front; of several operands that are moved, the runtime looks at the first.
  const bool is_last = stage == ConditionStage::quantized && moves_values();
  const std::size_t end = is_last ? first_operand() + 1 : operand_end();
  for (std::size_t i = first_operand(); i < end; ++i) {
    const Value* const x = node.input(i);
    if (stage == ConditionStage::planned)
      operands_->push_back(x != nullptr && detail::is_dequantized(*x) ? x->producer() : nullptr);
    else operands_->push_back(around_.sources.of(x).dequantize);
  }
  if (stage == ConditionStage::quantized && takes_quantizer_behind())
    std::erase_if(*operands_, [&](const Node* operand) {
      return operand == nullptr || !kernel.takes(detail::dtype_behind(*operand, target));
    });
  return *operands_;
}

GRAFT_INLINE bool KernelView::is_float() const {
  if (stage != ConditionStage::quantized || kernel.form == KernelForm::none) return false;
  const bool has_float = std::ranges::count(operands(), nullptr) != 0;
  return has_float && !is_quantized_early();
}

GRAFT_INLINE const Node* KernelView::dequantizer_of(std::size_t input) const {
  return is_weighted() ? around_.sources.of(node.input(input)).dequantize : nullptr;
}

GRAFT_INLINE std::vector<const Node*> KernelView::dequantizers() const {
  std::vector<const Node*> found = operands();
  found.push_back(weight());
  std::erase(found, nullptr);
  return found;
}

GRAFT_INLINE bool KernelView::has_joined_qparams() const {
  return is_weighted() && around_.sources.of(node.input(0)).has_joined_qparams;
}

GRAFT_INLINE void KernelView::find_results() const {
  for (const Value& output : node.outputs())
    if (moves_values() && !output.name().empty()) results_.push_back(around_.chains.behind(output, kernel));
  if (results_.empty()) results_.push_back(around_.chains.behind(*node.output(0), kernel));
  quantizes_own_result_ = is_quantized(results_.front());
  const bool may_merge = kernel.has(KernelQuirk::merges_with_add);
  const Node* const sum = may_merge ? detail::sum_behind(*node.output(0)) : nullptr;
  if (sum == nullptr || !detail::merges_into_gemm(node, *sum)) return;
  merged_with_ = sum;
  results_.front() = around_.chains.behind(*sum->output(0), kernel);
}

GRAFT_INLINE const std::vector<detail::OutputChain>& KernelView::results() const {
  if (results_.empty()) find_results();
  return results_;
}

GRAFT_INLINE bool KernelView::quantizes_own_result() const { return (void(results()), quantizes_own_result_); }
GRAFT_INLINE const Node* KernelView::merged_with() const { return (void(results()), merged_with_); }

GRAFT_INLINE bool KernelView::is_quantized(const detail::OutputChain& chain) const {
  return chain.end == detail::OutputChain::End::quantize && detail::takes_qparams(*chain.user, target);
}

GRAFT_INLINE bool KernelView::gives_float(const detail::OutputChain& chain) const {
  if (is_quantized(chain) || !kernel.has(KernelQuirk::float_output)) return false;
  if (target.has(Quirk::pairs_on_inputs)) return true;
  return !kernel.has(KernelQuirk::float_beside_quantizers) && !detail::reaches_quantizer(chain);
}

GRAFT_INLINE bool KernelView::takes_quantizer_behind() const {
  return kernel.has(KernelQuirk::passes_quantizers) && quantizes_own_result() &&
         kernel.takes(detail::dtype_before(*result().user, target));
}

GRAFT_INLINE bool KernelView::is_quantized_early() const {
  return moves_values() && stage == ConditionStage::quantized && operands().front() == nullptr &&
         is_quantized(result()) && result().activations.empty() && detail::lets_quantizers_pass(node, target);
}

GRAFT_INLINE bool KernelView::looks_at_results() const {
  if (!moves_values()) return true;
  if (is_quantized_early() || kernel.has(KernelQuirk::passes_dequantizers)) return false;
  const bool turns_unsigned = dtype() != quantized_dtype(*operands().front());
  if (turns_unsigned && node.output(0)->use_count() > 1) return true;
  return !detail::lets_quantizers_pass(node, target) || detail::reaches_quantizer(result());
}

GRAFT_INLINE DType KernelView::dtype() const {
  if (operands().empty()) return detail::dtype_before(*result().user, target);
  const Node* const first = operands().front();
  return first != nullptr ? detail::dtype_behind(*first, target) : DType::undefined;
}

GRAFT_INLINE std::optional<QParams> KernelView::moved_qparams() const {
  if (kernel.has(KernelQuirk::passes_dequantizers)) return qparams_of(*operands().front());
  return detail::qparams_seen(*operands().front(), dtype());
}

GRAFT_INLINE Verdict KernelView::no(std::string text) const {
  text_ = std::move(text);
  return Verdict::no(text_);
}

GRAFT_INLINE FailedCondition first_failed(const KernelView& view, ConditionStage stage) {
  for (const KernelCondition& row : kernel_conditions()) {
    if (!row.stages.contains(stage) || !row.concerns(view)) continue;
    const Verdict verdict = row.check(view);
    if (verdict) continue;
    Reason reason = verdict.reason();
    reason.code = row.code;
    return {&row, Verdict::no(reason)};
  }
  return {};
}

GRAFT_INLINE OperatorOutcome KernelCondition::failed_by(const KernelView& view, const Reason& why) const {
  OperatorOutcome outcome = OperatorOutcome::of(view.node, OperatorForm::integers);
  outcome.code = code;
  outcome.text = to_string(why);
  outcome.remedy = remedy;
  const auto becomes = [&](OperatorForm form, Severity severity) {
    outcome.form = form;
    outcome.severity = severity;
  };
  switch (effect) {
    case ConditionEffect::in_float: becomes(OperatorForm::in_float, Severity::warning); break;
    case ConditionEffect::computed: becomes(OperatorForm::in_float, Severity::none); break;
    case ConditionEffect::refused:
    case ConditionEffect::kernel_refused: becomes(OperatorForm::refused, Severity::error); break;
    case ConditionEffect::left_out:
    case ConditionEffect::kernel_left_out: becomes(OperatorForm::left_out, Severity::error); break;
    case ConditionEffect::float_result:
      if (!view.kernel.has(KernelQuirk::float_beside_quantizers)) {
        becomes(OperatorForm::in_float, Severity::warning);
        break;
      }
      outcome.float_result = true;
      outcome.severity = Severity::info;
      outcome.text += ": it is float";
      break;
    case ConditionEffect::float_before:
      if (!view.kernel.has(KernelQuirk::float_output) || detail::waits_for_quantizer(view.result(), view.target)) {
        becomes(OperatorForm::in_float, Severity::warning);
        break;
      }
      outcome.float_result = true;
      outcome.severity = Severity::info;
      break;
    case ConditionEffect::info: outcome.severity = Severity::info; break;
    case ConditionEffect::warning: outcome.severity = Severity::warning; break;
    case ConditionEffect::error:
      // Operators on integers have no float kernel to fall back to.
      if (view.target.has(Quirk::falls_back_to_float) && view.kernel.form != KernelForm::none)
        becomes(OperatorForm::in_float, Severity::warning);
      else outcome.severity = Severity::error;
  }
  // A planned operator stays in float. So does one with pairs on some sides alone, unless the runtime refuses that.
  const bool is_of_any = effect == ConditionEffect::refused || effect == ConditionEffect::left_out;
  const bool stays = view.stage == ConditionStage::planned || !is_of_any;
  if (view.is_planned() && stays && effect != ConditionEffect::computed)
    becomes(OperatorForm::in_float, Severity::warning);
  return outcome;
}

namespace detail {

inline OperatorOutcome outcome_by_conditions(const KernelView& view) {
  if (view.is_float()) {
    const FailedCondition failed = first_failed(view, ConditionStage::planned);
    if (failed.row != nullptr) return failed.row->failed_by(view, failed.verdict.reason());
  }
  OperatorOutcome found = OperatorOutcome::of(view.node, OperatorForm::integers);
  if (view.kernel.form != KernelForm::none)
    for (const detail::OutputChain& chain : view.results()) found.float_result |= view.gives_float(chain);
  for (const KernelCondition& row : kernel_conditions()) {
    if (!row.stages.contains(ConditionStage::quantized) || !row.concerns(view)) continue;
    const Verdict verdict = row.check(view);
    if (verdict) continue;
    OperatorOutcome outcome = row.failed_by(view, verdict.reason());
    if (!outcome.fused()) return outcome;
    outcome.float_result |= found.float_result;
    if (outcome.severity > found.severity) found = std::move(outcome);
    else found.float_result = outcome.float_result;
  }
  return found;
}

}  // namespace detail

GRAFT_INLINE OperatorOutcome outcome_of(const KernelView& view) {
  OperatorOutcome outcome = detail::outcome_by_conditions(view);
  const bool is_in_float = outcome.form == OperatorForm::in_float && outcome.severity != Severity::none;
  if (!is_in_float || !detail::checks::fails_in_float(view)) return outcome;
  outcome.form = OperatorForm::refused;
  outcome.severity = Severity::error;
  outcome.text += ": the backend has no floats for it, and fails";
  return outcome;
}

}  // namespace graft::inline v1
