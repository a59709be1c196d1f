#pragma once
#include <array>
#include <optional>
#include <string>

#include <graft/quantize/audit/detail/audit_condition.hpp>
#include <graft/quantize/audit/detail/shared_checks.hpp>
#include <graft/quantize/audit/detail/shared_conditions.hpp>

namespace graft::inline v1::detail {

/// The checks of operators that move or choose values: one runs in integers between quantizers of the same q-params, or
/// where the runtime takes the DequantizeLinear in front of it behind it, or the QuantizeLinear behind it to its front.
namespace audits::same_qparams {

/// Whether the runtime takes the quantizer behind the operator to its front.
inline bool is_quantized_early(const AuditedNode& a) {
  const OutputChain& y = a.results.front();
  return a.operands.front() == nullptr && a.is_quantized(y) && y.activations.empty() &&
         lets_quantizers_pass(a.node, a.target);
}

/// Those with which the runtime chooses: what becomes uint8 has its zero point moved along. Both must be given.
inline std::optional<QParams> qparams_seen(const Node& quantizer, DType dtype) {
  std::optional<QParams> q = qparams_of(quantizer);
  if (!q || quantizer.input(2) == nullptr) return std::nullopt;
  if (q->dtype == DType::i8 && dtype == DType::u8) q = QParams{q->scale, q->zero_point + 128, DType::u8};
  return q;
}
inline std::optional<QParams> operand_qparams(const AuditedNode& a) {
  if (a.kernel.has(KernelQuirk::passes_dequantizers)) return qparams_of(*a.operands.front());
  return qparams_seen(*a.operands.front(), a.dtype());
}

inline Unmet constant(const AuditedNode& a) {
  const Node* const dequantize = a.operands.front();
  const Value* const x = dequantize != nullptr ? dequantize->input(0) : a.node.input(a.kernel.first_operand);
  return x != nullptr && x->is_constant() ? audits::constant() : std::nullopt;
}

inline Unmet early_dtype(const AuditedNode& a) {
  return is_quantized_early(a) ? no_kernel_for(a, dtype_before(*a.results.front().user, a.target)) : std::nullopt;
}
inline Unmet no_dq_input(const AuditedNode& a) {
  return fails_if(a.operands.front() == nullptr && !is_quantized_early(a), "its input is not dequantized");
}
inline Unmet qparams(const AuditedNode& a) {
  return fails_if(!is_quantized_early(a) && !operand_qparams(a),
                  "its input has no constant q-params of a whole tensor");
}
inline Unmet dtypes(const AuditedNode& a) {
  return is_quantized_early(a) ? std::nullopt : no_kernel_for(a, operand_qparams(a)->dtype);
}

/// Whether the runtime takes the DequantizeLinear in front of the operator behind it, whatever else is there.
inline bool is_dequantized_late(const AuditedNode& a) {
  if (a.kernel.has(KernelQuirk::passes_dequantizers)) return true;
  const bool turns_unsigned = a.dtype() != quantized_dtype(*a.operands.front());
  if (turns_unsigned && a.node.output(0)->use_count() > 1) return false;
  return lets_quantizers_pass(a.node, a.target) && !reaches_quantizer(a.results.front());
}

inline bool is_not_quantized_early(const AuditedNode& a) { return !is_quantized_early(a); }
/// Whether the runtime looks at the results.
inline bool looks_at_results(const AuditedNode& a) { return !is_quantized_early(a) && !is_dequantized_late(a); }

inline Unmet qparams_differ(const AuditedNode& a) {
  if (!looks_at_results(a)) return std::nullopt;
  for (const OutputChain& y : a.results)
    if (a.is_quantized(y) && qparams_seen(*y.user, dtype_before(*y.user, a.target)) != operand_qparams(a))
      return "its input and its output have different q-params";
  return std::nullopt;
}

/// Whether quantizers have to do with the operator at all.
inline bool concern(const AuditedNode& a) {
  return a.operands.front() != nullptr || a.is_quantized(a.results.front());
}

}  // namespace audits::same_qparams

inline constexpr auto same_qparams_conditions = joined(
    opset_conditions,
    std::array{
        AuditCondition{"constant", AuditEffect::computed, audits::same_qparams::constant, ""},
        AuditCondition{"dtypes", AuditEffect::in_float, audits::same_qparams::early_dtype,
                       "quantize to a dtype that the target takes"},
        AuditCondition{"no_dq_input", AuditEffect::in_float, audits::same_qparams::no_dq_input,
                       "put a pair of quantizers behind the input"},
        AuditCondition{"qparams", AuditEffect::in_float, audits::same_qparams::qparams, "quantize it per tensor"},
        AuditCondition{"dtypes", AuditEffect::in_float, audits::same_qparams::dtypes,
                       "quantize to a dtype that the target takes"}},
    only_where(audits::same_qparams::looks_at_results, output_conditions),
    std::array{
        AuditCondition{"qparams_differ", AuditEffect::in_float, audits::same_qparams::qparams_differ,
                       "quantize both with the same scale and zero point"}},
    only_where(audits::same_qparams::looks_at_results, activation_conditions),
    only_where(audits::same_qparams::is_not_quantized_early, attribute_conditions));

}  // namespace graft::inline v1::detail
