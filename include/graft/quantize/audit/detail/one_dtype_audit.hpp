#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include <graft/quantize/audit/detail/audit_condition.hpp>
#include <graft/quantize/audit/detail/shared_checks.hpp>
#include <graft/quantize/audit/detail/shared_conditions.hpp>
#include <graft/quantize/detail/scale_ratio.hpp>
#include <graft/quantize/detail/softmax_extent.hpp>

namespace graft::inline v1::detail {

/// The checks of operators whose operands and result are of one dtype, each with q-params of its own or all with the
/// same.
namespace audits::one_dtype {

inline Unmet outputs(const AuditedNode& a) {
  return fails_if(a.node.output_count() != 1, "it has several results");
}

inline Unmet constant(const AuditedNode& a) {
  if (a.target.has(Quirk::does_not_simplify) || a.takes_quantizer_behind()) return std::nullopt;
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    const Node* const dequantize = a.operands[i];
    const Value* const source =
        dequantize != nullptr ? dequantize->input(0) : a.node.input(a.kernel.first_operand + i);
    if (source == nullptr || !source->is_constant()) return std::nullopt;
  }
  return audits::constant();
}

inline Unmet no_dq_input(const AuditedNode& a) {
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (a.operands[i] != nullptr) continue;
    const Value* const operand = a.node.input(a.kernel.first_operand + i);
    return (operand != nullptr ? quoted(*operand) : "an input") + " is not dequantized";
  }
  return std::nullopt;
}
inline Unmet no_dq_input_alone(const AuditedNode& a) {
  Unmet failure = no_dq_input(a);
  return failure && !pays_alone(a) ? failure : std::nullopt;
}

inline Unmet dtypes_differ(const AuditedNode& a) {
  for (const Node* const operand : a.operands) {
    const DType dtype = dtype_behind(*operand, a.target);
    if (dtype == a.dtype() || (a.kernel.has(KernelQuirk::mixes_dtypes) && a.kernel.takes(dtype))) continue;
    return "its inputs are " + std::string(to_string(a.dtype())) + " and " + std::string(to_string(dtype));
  }
  return std::nullopt;
}
inline Unmet dtypes(const AuditedNode& a) { return no_kernel_for(a, a.dtype()); }

/// Those of the result, where integers come out.
inline std::optional<QParams> result_qparams(const AuditedNode& a) {
  const OutputChain& y = a.results.front();
  return ends_in_integers(a, y) ? qparams_of(*y.user) : std::nullopt;
}

inline Unmet qparams_differ(const AuditedNode& a) {
  if (a.kernel.form != KernelForm::one_qparams || !ends_in_integers(a, a.results.front())) return std::nullopt;
  const std::optional<QParams> y = result_qparams(a);
  bool same = y.has_value();
  for (const Node* const operand : a.operands) same = same && qparams_of(*operand) == y;
  return fails_if(!same, "its inputs and its output have different q-params");
}

inline Unmet lost_one(const AuditedNode& a) {
  return fails_if(a.kernel.unsaturated_up_to != 0 && is_softmax_of_one(a.node),
                  "a result of 1 is lost: its kernel does not saturate");
}
inline Unmet lost_above(const AuditedNode& a) {
  const std::optional<QParams> q = result_qparams(a);
  if (!q || q->range().max + q->scale / 2 >= a.kernel.unsaturated_up_to) return std::nullopt;
  return "results above " + shortest_decimal(q->range().max) + " are lost: its kernel does not saturate";
}

inline Unmet scale_ratio(const AuditedNode& a) {
  const std::optional<QParams> y = result_qparams(a);
  if (!y) return std::nullopt;
  for (const Node* const operand : a.operands) {
    const std::optional<QParams> x = qparams_of(*operand);
    if (!x || is_scale_ratio_in_reach(a.node, a.kernel, double{x->scale}, double{y->scale})) continue;
    return "the scales of its input and its output, " + shortest_decimal(x->scale) + " and " +
           shortest_decimal(y->scale) + ", are too far apart: its kernel fails, or computes something else";
  }
  return std::nullopt;
}

}  // namespace audits::one_dtype

inline constexpr auto one_dtype_conditions = joined(
    std::array{
        AuditCondition{"outputs", AuditEffect::in_float, audits::one_dtype::outputs,
                       "take the others from an operator of its own"},
        AuditCondition{"constant", AuditEffect::computed, audits::one_dtype::constant, ""}},
    opset_conditions,
    std::array{
        AuditCondition{"no_dq_input", AuditEffect::in_float, audits::one_dtype::no_dq_input_alone, audits::leave_alone},
        AuditCondition{"no_dq_input", AuditEffect::in_float, audits::one_dtype::no_dq_input,
                       "put a pair of quantizers behind it"}},
    dequantizer_conditions,
    std::array{
        AuditCondition{"dtypes", AuditEffect::in_float, audits::one_dtype::dtypes_differ,
                       "quantize them to one dtype"}},
    input_scale_conditions,
    output_conditions,
    std::array{
        AuditCondition{"dtypes", AuditEffect::in_float, audits::one_dtype::dtypes,
                       "quantize to a dtype that the target takes"}},
    output_scale_conditions,
    std::array{
        AuditCondition{"qparams_differ", AuditEffect::in_float, audits::one_dtype::qparams_differ,
                       "quantize all of them with the same scale and zero point"}},
    activation_conditions,
    std::array{
        AuditCondition{"does_not_saturate", AuditEffect::error, audits::one_dtype::lost_one,
                       "leave it in float: it is over one element"},
        AuditCondition{"does_not_saturate", AuditEffect::error, audits::one_dtype::lost_above,
                       "quantize its output up to the greatest of its results"},
        AuditCondition{"scale_ratio", AuditEffect::error, audits::one_dtype::scale_ratio, "leave it in float"}},
    attribute_conditions);

}  // namespace graft::inline v1::detail
