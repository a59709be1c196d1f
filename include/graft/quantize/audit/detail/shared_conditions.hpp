#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include <graft/quantize/audit/detail/audit_condition.hpp>
#include <graft/quantize/audit/detail/shared_checks.hpp>

// The rows that the tables of several forms of kernels share, and how a table is made of parts.
namespace graft::inline v1::detail {

/// One table of several, in this order.
template <std::size_t... sizes>
constexpr auto joined(const std::array<AuditCondition, sizes>&... parts) {
  std::array<AuditCondition, (sizes + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(parts.begin(), parts.end(), next)), ...);
  return all;
}

/// The same rows, asked of the operators of which this is true.
template <std::size_t size>
constexpr std::array<AuditCondition, size> only_where(bool (*concerns)(const AuditedNode&),
                                                      std::array<AuditCondition, size> rows) {
  for (AuditCondition& row : rows) row.concerns = concerns;
  return rows;
}

inline constexpr std::array opset_conditions{
    AuditCondition{"opset", AuditEffect::in_float, audits::older_opset, "raise the opset"},
    AuditCondition{"opset", AuditEffect::in_float, audits::newer_opset, ""},
};

inline constexpr std::array dequantizer_conditions{
    AuditCondition{"dynamic_qparams", AuditEffect::in_float, audits::dynamic_qparams,
                   "quantize it with constant q-params"},
    AuditCondition{"shared_dequantizer", AuditEffect::in_float, audits::shared_dequantizer,
                   "give the operator a DequantizeLinear of its own"},
};
/// Of a kernel that takes one scale for each operand.
inline constexpr std::array input_scale_conditions{
    AuditCondition{"scale_rank", AuditEffect::error, audits::input_list, "make scale and zero point scalars"},
    AuditCondition{"scale_rank", AuditEffect::in_float, audits::any_list, "make scale and zero point scalars"},
    AuditCondition{"per_axis_input", AuditEffect::error, audits::input_scales, "quantize the input per tensor"},
    AuditCondition{"joined_qparams", AuditEffect::in_float, audits::joined_qparams,
                   "put a pair of quantizers behind what joins them"},
};

/// Whether a quantizer takes up the result.
inline constexpr std::array output_conditions{
    AuditCondition{"activation_not_redundant", AuditEffect::in_float, audits::waits,
                   "put a pair of quantizers in front of the activation, or behind it"},
    AuditCondition{"graph_output", AuditEffect::float_result, audits::graph_output,
                   "let the output be the dequantized tensor"},
    AuditCondition{"several_users", AuditEffect::float_result, audits::several_users,
                   "put a pair of quantizers behind it that all of them share"},
    AuditCondition{"activation_unsupported", AuditEffect::float_result, audits::activation_unsupported,
                   "put a pair of quantizers in front of the activation"},
    AuditCondition{"output_not_quantized", AuditEffect::float_result, audits::output_not_quantized,
                   "put a pair of quantizers behind it"},
};
/// Of a kernel that computes: whether it gives what the quantizer behind it makes.
inline constexpr std::array output_scale_conditions{
    AuditCondition{"scale_rank", AuditEffect::error, audits::output_list, "make scale and zero point scalars"},
    AuditCondition{"per_axis_output", AuditEffect::error, audits::output_scales, "quantize the output per tensor"},
    AuditCondition{"dtype_mismatch", AuditEffect::float_result, audits::dtype_mismatch,
                   "quantize input and output to one dtype"},
};
/// Whether the activations between the operator and a quantizer vanish.
inline constexpr std::array activation_conditions{
    AuditCondition{"near_redundant", AuditEffect::refused, audits::near_redundant,
                   "lower the scale until the bounds hold"},
    AuditCondition{"activations_in_a_row", AuditEffect::float_before, audits::activations_in_a_row,
                   "put a pair of quantizers behind the last activation that is fused"},
    AuditCondition{"activation_not_redundant", AuditEffect::float_before, audits::activation_not_redundant,
                   "put a pair of quantizers in front of the activation, or lower the scale"},
};

/// Whether the kernel computes with the operator's attributes.
inline constexpr std::array attribute_conditions{
    AuditCondition{"attribute", AuditEffect::in_float, audits::attribute, ""},
    AuditCondition{"rounds_down", AuditEffect::warning, audits::rounds_down, "leave it in float"},
    AuditCondition{"attribute_ignored", AuditEffect::error, audits::attribute_ignored, "leave it in float"},
    AuditCondition{"attribute", AuditEffect::error, audits::attribute_refused, "leave it in float"},
};

}  // namespace graft::inline v1::detail
