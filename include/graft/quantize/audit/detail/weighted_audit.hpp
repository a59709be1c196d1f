#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <graft/quantize/audit/detail/audit_condition.hpp>
#include <graft/quantize/audit/detail/integer_faults.hpp>
#include <graft/quantize/audit/detail/shared_checks.hpp>
#include <graft/quantize/audit/detail/shared_conditions.hpp>
#include <graft/quantize/target/channels.hpp>

namespace graft::inline v1::detail {

/// The checks of operators with an input, a weight and perhaps a bias.
namespace audits::weighted {

inline bool is_given(const Value& value) { return value.initializer() != nullptr || value.is_constant(); }

inline Unmet alpha(const AuditedNode& a) {
  const bool takes_any = a.kernel.takes_factor(a.node.input(2) != nullptr);
  return fails_if(!takes_any && product_factor(a.node) != 1, "its alpha is not 1");
}

/// Placement leaves operators alone with initializers that callers may override.
inline bool is_overridable(const AuditedNode& a, std::size_t input) {
  const Value* const value = a.operands.front() == nullptr ? a.node.input(input) : nullptr;
  return value != nullptr && value->initializer() != nullptr && !value->is_constant();
}
inline Unmet overridable_weight(const AuditedNode& a) {
  return fails_if(is_overridable(a, 1), "its weight is an initializer that callers may override");
}
inline Unmet overridable_bias(const AuditedNode& a) {
  return fails_if(is_overridable(a, 2), "its bias is an initializer that callers may override");
}
inline Unmet not_quantizable(const AuditedNode& a) {
  if (a.operands.front() != nullptr) return std::nullopt;
  const Verdict verdict = quantizable(a.node, a.target);
  return verdict ? std::nullopt : Unmet(verdict.reason().text);
}
inline Unmet no_dq_input(const AuditedNode& a) {
  return fails_if(a.operands.front() == nullptr, "its input is not dequantized");
}
inline Unmet no_dq_input_alone(const AuditedNode& a) {
  Unmet failure = no_dq_input(a);
  return failure && !pays_alone(a) ? failure : std::nullopt;
}

/// Whether the runtime quantizes a float weight or bias itself.
inline bool quantizes_constants(const AuditedNode& a) {
  return a.kernel.has(KernelQuirk::quantizes_constants) &&
         (a.quantizes_own_result || !a.kernel.has(KernelQuirk::float_output));
}

inline bool is_quantized_by_runtime(const AuditedNode& a, const Value* constant) {
  return quantizes_constants(a) && constant != nullptr && is_given(*constant);
}

inline Unmet weight_not_quantized(const AuditedNode& a) {
  return fails_if(a.weight == nullptr && !is_quantized_by_runtime(a, a.node.input(1)),
                  "its weight is not dequantized");
}
/// What a dequantizer states, 0 if it states none; nullopt if that is computed.
inline std::optional<std::int64_t> stated_zero_point(const Node& dequantize) {
  if (dequantize.input(2) == nullptr) return 0;
  const std::optional<Tensor> given = constant_input(dequantize, 2);
  return given && given->size() == 1 ? std::optional(given->to<std::int64_t>()[0]) : std::nullopt;
}
inline bool is_weight_computed(const AuditedNode& a) {
  return a.weight != nullptr && !constant_input(*a.weight, 0);
}
/// Whether a kernel for constant weights takes the factors all the same: uint8 around 128 is int8 then.
inline bool are_factors_symmetric(const AuditedNode& a) {
  if (!a.kernel.has(KernelQuirk::symmetric_factors) || a.operands.front() == nullptr) return false;
  return stated_zero_point(*a.operands.front()) == 0 &&
         stated_zero_point(*a.weight) == (quantized_dtype(*a.weight) == DType::u8 ? 128 : 0);
}
inline Unmet weight_not_constant(const AuditedNode& a) {
  if (!a.kernel.has(KernelQuirk::constant_weight) || !is_weight_computed(a) || are_factors_symmetric(a))
    return std::nullopt;
  return a.kernel.has(KernelQuirk::symmetric_factors) ? "its second factor is not constant, nor are both symmetric"
                                                      : "its second factor is not constant";
}
inline Unmet input_zero_point(const AuditedNode& a) {
  return fails_if(a.kernel.has(KernelQuirk::zero_point_zero) && stated_zero_point(*a.operands.front()) != 0,
                  "the zero point of its input is not 0");
}
inline Unmet only_bias_quantized(const AuditedNode& a) {
  return fails_if(a.weight == nullptr && a.bias != nullptr, "its weight is float and its bias is not");
}
inline Unmet weight_in_float(const AuditedNode& a) {
  return fails_if(a.weight == nullptr, "its weight is float: the runtime quantizes it, per tensor");
}

inline std::optional<Tensor> weight_zero_point(const AuditedNode& a) {
  std::optional<Tensor> zero_point = a.weight != nullptr ? constant_input(*a.weight, 2) : std::nullopt;
  return zero_point && zero_point->size() != 0 ? zero_point : std::nullopt;
}
inline Unmet zero_point(const AuditedNode& a) {
  const std::optional<Tensor> given = weight_zero_point(a);
  if (is_weight_computed(a) && are_factors_symmetric(a)) return std::nullopt;
  return fails_if(a.kernel.has(KernelQuirk::symmetric_weight) && given && given->to<std::int64_t>()[0] != 0,
                  "the zero point of its weight is not 0: the runtime refuses the kernel");
}
inline Unmet no_zero_point(const AuditedNode& a) {
  const auto states_none = [](const Node* dequantize) { return dequantize->input(2) == nullptr; };
  const std::vector<const Node*> operands = a.dequantizers();
  return fails_if(a.kernel.has(KernelQuirk::needs_zero_points) &&
                      std::any_of(operands.begin(), operands.end(), states_none),
                  "its input or weight has no zero point");
}
inline Unmet zero_points_differ(const AuditedNode& a) {
  const std::optional<Tensor> given = weight_zero_point(a);
  if (!given || a.kernel.has(KernelQuirk::zero_points_by_channel)) return std::nullopt;
  const auto values = given->to<std::int64_t>();
  return fails_if(std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end(),
                  "the channels of its weight have different zero points: the kernel fails");
}

/// The rank of a weight with several scales; 0 of others.
inline std::size_t rank_with_scales(const AuditedNode& a) {
  const std::optional<Tensor> scale = a.weight != nullptr ? constant_input(*a.weight, 1) : std::nullopt;
  if (!scale || scale->size() == 1 || a.weight->input(0) == nullptr) return 0;
  return a.weight->input(0)->shape().rank();
}
inline bool is_batched(const AuditedNode& a) { return a.node.is("MatMul") && rank_with_scales(a) > 2; }
inline Unmet batched_channels(const AuditedNode& a) {
  return fails_if(is_batched(a), "its weight of rank " + std::to_string(rank_with_scales(a)) +
                                     " has several scales: the kernel takes one and fails");
}
inline Unmet axis(const AuditedNode& a) {
  const std::size_t rank = rank_with_scales(a);
  if (rank == 0 || is_batched(a)) return std::nullopt;
  const std::int64_t axis = a.weight->attr<std::int64_t>("axis").value_or(1);
  const auto given = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  return fails_if(channel_axis(a.node, rank).value_or(given) != given,
                  "its weight is dequantized along axis " + std::to_string(axis) +
                      ", the kernel takes that for the output channels");
}
inline Unmet axis_in_float(const AuditedNode& a) {
  const bool is_checked = a.kernel.has(KernelQuirk::checks_axis) ||
                          (a.kernel.has(KernelQuirk::checks_quantized_axis) && a.quantizes_own_result);
  return is_checked ? axis(a) : std::nullopt;
}

inline Unmet beta(const AuditedNode& a) {
  if (a.target.has(Quirk::falls_back_to_float)) return std::nullopt;
  return fails_if(a.node.input(2) != nullptr && a.node.is("Gemm") && a.node.attr<float>("beta").value_or(1) != 1,
                  "its beta is not 1");
}
inline Unmet bias_quantized(const AuditedNode& a) {
  return fails_if(a.target.bias == BiasForm::float32 && a.target.has(Quirk::does_not_simplify) && a.bias != nullptr,
                  "its bias is dequantized by an operator of its own");
}
/// Of kernels that take it in int32.
inline bool has_float_bias(const AuditedNode& a) {
  return a.target.bias == BiasForm::int32 && a.node.input(2) != nullptr && a.bias == nullptr;
}
inline Unmet bias_not_quantized(const AuditedNode& a) {
  if (!has_float_bias(a)) return std::nullopt;
  const Value* const bias = a.node.input(2);
  return fails_if(!is_quantized_by_runtime(a, bias) || bias->shape().rank() != 1 || axis(a),
                  "its bias is not dequantized");
}
inline Unmet bias_in_float(const AuditedNode& a) {
  return fails_if(has_float_bias(a), "its bias is float: the runtime quantizes it");
}
inline Unmet bias_dtype(const AuditedNode& a) {
  if (a.target.bias == BiasForm::float32 || a.bias == nullptr) return std::nullopt;
  const DType dtype = quantized_dtype(*a.bias);
  return fails_if(dtype != DType::i32, "its bias is " + std::string(to_string(dtype)) + ", the kernel takes i32");
}

/// The channel whose bias has another scale than its products, by more than a fraction of that and this much.
inline Unmet bias_scale_off(const AuditedNode& a, float fraction, float least) {
  if (a.target.bias == BiasForm::float32 || a.bias == nullptr || a.weight == nullptr) return std::nullopt;
  const std::optional<Tensor> x = constant_input(*a.operands.front(), 1), weight = constant_input(*a.weight, 1),
                              bias = constant_input(*a.bias, 1);
  if (!x || !weight || !bias || x->size() != 1) return std::nullopt;
  const float x_scale = x->item<float>() * product_factor(a.node);
  const auto weights = weight->to<float>(), biases = bias->to<float>();
  if (weights.empty() || biases.empty()) return std::nullopt;
  for (std::size_t c = 0; c < std::max(weights.size(), biases.size()); ++c) {
    const float wanted = x_scale * weights[c % weights.size()];
    const float given = biases[c % biases.size()];
    if (std::abs(given - wanted) <= fraction * std::abs(wanted) + least) continue;
    return "the scale of its bias is " + shortest_decimal(given) + " in channel " + std::to_string(c) +
           ", the kernel takes it for " + shortest_decimal(wanted);
  }
  return std::nullopt;
}
/// The kernel takes the bias for multiples of the input's scale times the weight's, whatever its own scale says.
inline Unmet bias_scale_mismatch(const AuditedNode& a) { return bias_scale_off(a, 1e-5f, 0); }
/// Some runtimes compare the scales, roughly, and take no bias for which they are not known.
inline Unmet bias_scale_in_float(const AuditedNode& a) {
  if (!a.kernel.has(KernelQuirk::checks_bias_scale) || a.node.input(2) == nullptr) return std::nullopt;
  for (const Node* const dequantize : {a.operands.front(), a.weight, a.bias})
    if (dequantize != nullptr && !constant_input(*dequantize, 1))
      return "the scale of its bias is computed, or those that it is to be the product of";
  return bias_scale_off(a, 1e-2f, 1e-6f);
}

/// As a Gemm it has the Add's operand for a bias, which the runtime quantizes as it does that of others.
inline Unmet merged_with_add(const AuditedNode& a) {
  if (a.merged_with == nullptr) return std::nullopt;
  const Value& bias = addend(*a.merged_with, *a.node.output(0));
  return fails_if(!a.is_quantized(a.results.front()) || bias.shape().rank() != 1 || !is_given(bias),
                  "the runtime makes a Gemm of it and the Add behind it, whose bias is float");
}

inline Unmet dtypes(const AuditedNode& a) {
  const bool is_int8 = a.weight == nullptr || (is_weight_computed(a) && are_factors_symmetric(a));
  const DType x = a.dtype(), weight = is_int8 ? DType::i8 : quantized_dtype(*a.weight);
  return fails_if(!a.kernel.takes(x, weight), "there is no kernel for " + std::string(to_string(x)) +
                                                  " with weights of " + std::string(to_string(weight)));
}

inline Unmet partial_tiles(const AuditedNode& a) {
  return fails_if(has_partial_tiles(a.node, a.target), partial_tiles_text(a.node));
}

inline Unmet saturates(const AuditedNode& a) {
  const std::optional<Tensor> weight = a.weight != nullptr ? constant_input(*a.weight, 0) : std::nullopt;
  if (a.target.weight_bits == 8 || !weight || weight->dtype() != DType::i8 || is_depthwise(a.node))
    return std::nullopt;
  const int most = 1 << (a.target.weight_bits - 1);
  const auto codes = weight->data<std::int8_t>();
  return fails_if(
      !std::all_of(codes.begin(), codes.end(), [=](std::int8_t code) { return -most <= code && code <= most; }),
      "its weight takes more than " + std::to_string(a.target.weight_bits) +
          " bits: sums of two products saturate");
}

}  // namespace audits::weighted

inline constexpr auto weighted_conditions = joined(
    opset_conditions,
    std::array{
        AuditCondition{"alpha", AuditEffect::in_float, audits::weighted::alpha, "multiply the weight by alpha"},
        AuditCondition{"attribute", AuditEffect::in_float, audits::attribute, ""},
        AuditCondition{"overridable_weight", AuditEffect::in_float, audits::weighted::overridable_weight,
                       "freeze such inputs, or remove them"},
        AuditCondition{"overridable_bias", AuditEffect::in_float, audits::weighted::overridable_bias,
                       "freeze such inputs, or remove them"},
        AuditCondition{"not_quantizable", AuditEffect::in_float, audits::weighted::not_quantizable, ""},
        AuditCondition{"no_dq_input", AuditEffect::in_float, audits::weighted::no_dq_input_alone, audits::leave_alone},
        AuditCondition{"no_dq_input", AuditEffect::in_float, audits::weighted::no_dq_input,
                       "put a pair of quantizers behind the input"}},
    input_scale_conditions,
    dequantizer_conditions,
    std::array{
        AuditCondition{"weight_not_quantized", AuditEffect::in_float, audits::weighted::weight_not_quantized,
                       "quantize the weights"},
        AuditCondition{"weight_not_constant", AuditEffect::in_float, audits::weighted::weight_not_constant, ""},
        AuditCondition{"input_zero_point", AuditEffect::in_float, audits::weighted::input_zero_point,
                       "quantize the input to int8 symmetrically, or to uint8 if it is never negative"},
        AuditCondition{"weight_not_quantized", AuditEffect::in_float, audits::weighted::only_bias_quantized,
                       "quantize the weights"},
        AuditCondition{"weight_float_runtime_quant", AuditEffect::warning, audits::weighted::weight_in_float,
                       "quantize the weights"},
        AuditCondition{"zero_point", AuditEffect::error, audits::weighted::zero_point,
                       "quantize the weights symmetrically"},
        AuditCondition{"no_zero_point", AuditEffect::in_float, audits::weighted::no_zero_point,
                       "state the zero points of input and weight"},
        AuditCondition{"zero_points_differ", AuditEffect::error, audits::weighted::zero_points_differ,
                       "quantize the weights symmetrically"},
        AuditCondition{"batched_channels", AuditEffect::error, audits::weighted::batched_channels,
                       "quantize the weight per tensor"},
        AuditCondition{"axis", AuditEffect::in_float, audits::weighted::axis_in_float,
                       "quantize the weights along the output channels"},
        AuditCondition{"axis", AuditEffect::error, audits::weighted::axis,
                       "quantize the weights along the output channels"},
        AuditCondition{"beta", AuditEffect::in_float, audits::weighted::beta, "multiply the bias by beta"},
        AuditCondition{"bias_quantized", AuditEffect::info, audits::weighted::bias_quantized,
                       "leave the bias in float"},
        AuditCondition{"bias_not_quantized", AuditEffect::in_float, audits::weighted::bias_not_quantized,
                       "quantize the weights, which quantizes the bias"},
        AuditCondition{"bias_float_runtime_quant", AuditEffect::info, audits::weighted::bias_in_float,
                       "quantize the weights, which quantizes the bias"},
        AuditCondition{"bias_dtype", AuditEffect::in_float, audits::weighted::bias_dtype, "quantize the bias to int32"},
        AuditCondition{"bias_scale_mismatch", AuditEffect::in_float, audits::weighted::bias_scale_in_float,
                       "quantize the bias at the scale of the input times that of the weight"},
        AuditCondition{"bias_scale_mismatch", AuditEffect::error, audits::weighted::bias_scale_mismatch,
                       "quantize the bias at the scale of the input times that of the weight"},
        AuditCondition{"merged_with_add", AuditEffect::in_float, audits::weighted::merged_with_add,
                       "write it as a Gemm, or put a pair of quantizers behind it"}},
    output_conditions,
    std::array{
        AuditCondition{"dtypes", AuditEffect::in_float, audits::weighted::dtypes,
                       "quantize activations and weights to dtypes that the target takes"}},
    output_scale_conditions,
    activation_conditions,
    std::array{
        AuditCondition{"partial_tiles", AuditEffect::error, audits::weighted::partial_tiles, audits::full_tiles},
        AuditCondition{"saturates", AuditEffect::warning, audits::weighted::saturates,
                       "quantize the weights to so many bits"}});

}  // namespace graft::inline v1::detail
