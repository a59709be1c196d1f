#pragma once
// Which operators a runtime computes in integers. ONNX Runtime: core/optimizer/qdq_transformer, its selectors and the
// passes before them. oneDNN: the patterns in graph/backend/dnnl/patterns. OpenVINO: its runtime model in
// quantize/target/openvino_cpu.hpp. Where they differ, the Target says how.
#include <graft/quantize/kernel/condition.hpp>

#include <array>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/detail/backend_checks.hpp>
#include <graft/quantize/kernel/detail/fault_checks.hpp>
#include <graft/quantize/kernel/detail/operand_checks.hpp>
#include <graft/quantize/kernel/detail/refusal_checks.hpp>
#include <graft/quantize/kernel/detail/result_checks.hpp>
#include <graft/quantize/kernel/detail/weight_checks.hpp>

namespace graft::inline v1 {

namespace detail::checks {

using enum ConditionEffect;
using Kernels = QuirkSet<KernelForm>;
using Stages = QuirkSet<ConditionStage>;

inline constexpr Kernels none{KernelForm::none}, weighted{KernelForm::weighted}, moves{KernelForm::passthrough},
    elementwise{KernelForm::elementwise, KernelForm::one_qparams}, one_qparams{KernelForm::one_qparams},
    without_weight = elementwise.with(moves), computes = elementwise.with(weighted), any = computes.with(moves),
    all = any.with(none);
inline constexpr Stages planned{ConditionStage::planned}, quantized{ConditionStage::quantized},
    both = planned.with(quantized), placed_too = both.with(ConditionStage::placed),
    placed{ConditionStage::placed, ConditionStage::quantized};

inline constexpr std::string_view freeze = "freeze such inputs, or remove them",
                                  scalars = "make scale and zero point scalars", weights = "quantize the weights",
                                  symmetric = "quantize the weights symmetrically",
                                  along_outputs = "quantize the weights along the output channels",
                                  with_bias = "quantize the weights, which quantizes the bias",
                                  at_products = "quantize the bias at the scale of the input times that of the weight",
                                  around_zero = "quantize it symmetrically, or unsigned if it is never negative",
                                  in_target = "quantize to dtypes that the target takes",
                                  primitives = "write it as operators that the backend computes",
                                  dequantize_first = "put a DequantizeLinear in front of it, and a pair behind",
                                  leave = "leave it in float",
                                  leave_alone = "leave it in float unless its neighbours are quantized: alone, "
                                                "conversions would take more than its integer kernel gains",
                                  with_pair = "quantize what it is moved to, with its scale and zero point";

inline constexpr std::array table{
    // What the runtime refuses, with quantizers or without.
    KernelCondition{"opset_unread", all, quantized, refused, unread_opset, "raise or lower the opset"},
    KernelCondition{"other_domain", all, quantized, refused, other_domain,
                    "decompose it into operators of ONNX, or load a plugin of its name"},
    KernelCondition{"integer_operator", none, quantized, refused, integer_operator,
                    "write it as an operator on floats between quantizers"},
    KernelCondition{"uint8_tensor", all, quantized, refused, uint8_tensor, "use another dtype within the graph"},
    KernelCondition{"pool", all, both, refused, unusual_pool, "pool over two or three axes, without dilations"},
    KernelCondition{"resize", all, both, refused, unusual_resize, "leave out antialias and keep_aspect_ratio_policy"},
    KernelCondition{"attention_refused", none, quantized, refused, unusual_attention, "decompose it"},
    KernelCondition{"bare_integers", none, quantized, refused, moved_integers, dequantize_first},
    KernelCondition{"bias_refused", none, quantized, refused, quantized_bias, "leave the bias in float"},
    KernelCondition{"dtype_unstated", none, quantized, refused, unstated_dtype, "state the zero point, 0 of int8"},
    KernelCondition{"dtype_refused", none, quantized, refused, quantizer_dtype, "quantize symmetrically to int8"},
    KernelCondition{"dtype_refused", none, quantized, refused, narrow_activation, "quantize it to int8"},
    KernelCondition{"zero_point_refused", none, quantized, refused, quantizer_zero_point,
                    "quantize symmetrically to int8"},
    KernelCondition{"axis_unstated", none, quantized, refused, unstated_axis, "state the axis"},
    KernelCondition{"scale_refused", none, quantized, refused, scale_value, "give it constant scales above 0"},
    KernelCondition{"scale_refused", none, quantized, refused, scale_blocks,
                    "give it a scale for each channel, or for blocks along one of the last two axes"},
    // What it takes, and computes in float.
    KernelCondition{"blocks", none, quantized, in_float, unusual_blocks,
                    "use blocks that the runtime lists, along the sums of the product"},
    KernelCondition{"scales_differ", none, quantized, in_float, scales_differ, "quantize them with one scale"},
    KernelCondition{"cast_beside_pair", none, quantized, in_float, cast_beside_pair,
                    "give the scales the dtype of the graph: quantizers read and give that"},
    KernelCondition{"pair_in_float", none, quantized, in_float, pair_in_float, "take away the pair in front of it"},
    // What a backend leaves to another, whatever computes it.
    KernelCondition{"unknown_shape", all, quantized, left_out, unknown_shape,
                    "give its inputs extents that do not vary"},
    KernelCondition{"rank", all, both, left_out, rank, ""},
    KernelCondition{"refused_operator", none, quantized, refused, refused_operator, primitives},
    KernelCondition{"float_operator", none, quantized, refused, refused_float, primitives},
    KernelCondition{"not_in_backend", none, quantized, left_out, not_in_backend, primitives},
    KernelCondition{"bare_integers", any, both, refused, refused_bare_integers, dequantize_first},
    KernelCondition{"bare_integers", any, both, left_out, bare_integers, dequantize_first},
    KernelCondition{"lone_quantizer", none, quantized, left_out, lone_quantizer, ""},
    KernelCondition{"computed_qparams", none, quantized, refused, computed_qparams,
                    "quantize it with constant q-params"},
    KernelCondition{"channel_scales", none, quantized, refused, channel_scales, "quantize it per tensor"},
    KernelCondition{"pair_differs", none, quantized, error, pair_differs, "give both the same scale and zero point"},
    KernelCondition{"lone_dequantizer", none, quantized, left_out, lone_dequantizer,
                    "leave the tensor in float, or quantize all of its readers"},
    // The operator.
    KernelCondition{"no_result", none, planned, in_float, no_result, ""},
    KernelCondition{"no_kernel", none, planned, in_float, no_kernel, ""},
    KernelCondition{"outputs", without_weight, both, in_float, outputs, "take the others from an operator of its own"},
    KernelCondition{"constant", without_weight, both, computed, constant, ""},
    KernelCondition{"opset", any, both, in_float, older_opset, "raise the opset"},
    KernelCondition{"opset", any, both, in_float, newer_opset, ""},
    KernelCondition{"shared_qparams", one_qparams, planned, in_float, shared_qparams, ""},
    // Its operands, as placement finds them.
    KernelCondition{"missing_input", any, planned, in_float, missing_input, ""},
    KernelCondition{"constant_input", weighted, planned, in_float, constant_input_alone, ""},
    KernelCondition{"not_float32", any, planned, in_float, not_float32, ""},
    KernelCondition{"rescales_integers", without_weight, planned, in_float, rescales_integers, ""},
    KernelCondition{"overridable_weight", weighted, planned, in_float, overridable_weight, freeze},
    KernelCondition{"overridable_bias", weighted, planned, in_float, overridable_bias, freeze},
    KernelCondition{"overridable_input", without_weight, planned, in_float, overridable_input, freeze},
    KernelCondition{"merges_constants", without_weight, planned, in_float, merges_constants, ""},
    KernelCondition{"not_finite", without_weight, planned, in_float, not_finite, ""},
    KernelCondition{"bias_not_constant", weighted, planned, in_float, bias_not_constant, ""},
    KernelCondition{"factors", weighted, quantized, kernel_left_out, factors_left_out,
                    "multiply weight and bias by alpha and beta"},
    KernelCondition{"alpha", weighted, both, in_float, alpha, "multiply the weight by alpha"},
    KernelCondition{"alpha", weighted, planned, in_float, alpha_sign, "multiply the weight by alpha"},
    KernelCondition{"beta", weighted, both, in_float, beta, "multiply the bias by beta"},
    KernelCondition{"bias_shape", weighted, planned, in_float, bias_shape, ""},
    KernelCondition{"not_behind_conv", elementwise, both, in_float, not_behind_conv, leave},
    // What dequantizes them.
    KernelCondition{"no_dq_input", computes, quantized, in_float, no_dq_input_alone, leave_alone},
    KernelCondition{"no_dq_input", any, quantized, in_float, no_dq_input, "put a pair of quantizers behind the input"},
    KernelCondition{"dynamic_qparams", computes, quantized, in_float, dynamic_qparams,
                    "quantize it with constant q-params"},
    KernelCondition{"shared_dequantizer", computes, quantized, in_float, shared_dequantizer,
                    "give the operator a DequantizeLinear of its own"},
    KernelCondition{"further_operands", elementwise, both, in_float, further_operands, "make a chain of operators"},
    KernelCondition{"dtypes", elementwise, quantized, in_float, dtypes_differ, "quantize them to one dtype"},
    KernelCondition{"per_axis_input", elementwise, quantized, kernel_refused, refused_channel_operand,
                    "quantize the constant per tensor"},
    KernelCondition{"per_axis_input", any, both, error, input_scales, "quantize the input per tensor"},
    KernelCondition{"scale_rank", any, both, error, refused_input_list, scalars},
    KernelCondition{"scale_rank", any, both, in_float, any_list, scalars},
    KernelCondition{"joined_qparams", weighted, quantized, in_float, joined_qparams,
                    "put a pair of quantizers behind what joins them"},
    KernelCondition{"qparams", moves, both, in_float, moved_qparams, "quantize it per tensor"},
    KernelCondition{"dtypes", moves, placed_too, in_float, moved_dtype, in_target},
    // Weight and bias.
    KernelCondition{"weight_not_quantized", weighted, quantized, in_float, weight_not_quantized_alone, leave_alone},
    KernelCondition{"weight_not_quantized", weighted, quantized, in_float, weight_not_quantized, weights},
    KernelCondition{"weight_moved", weighted, quantized, in_float, weight_moved,
                    "move the weight, and quantize it then"},
    KernelCondition{"blocks", weighted, quantized, in_float, blocks_in_float, along_outputs},
    KernelCondition{"parameters", weighted, both, in_float, parameters, "quantize them"},
    KernelCondition{"weight_not_constant", weighted, both, in_float, weight_not_constant, ""},
    KernelCondition{"input_zero_point", any, both, in_float, input_zero_point, around_zero},
    KernelCondition{"weight_not_quantized", weighted, quantized, in_float, only_bias_quantized, weights},
    KernelCondition{"weight_float_runtime_quant", weighted, quantized, warning, weight_in_float, weights},
    KernelCondition{"zero_point", weighted, quantized, error, zero_point, symmetric},
    KernelCondition{"no_zero_point", weighted, quantized, in_float, no_zero_point,
                    "state the zero points of input and weight"},
    KernelCondition{"zero_points_differ", weighted, quantized, error, zero_points_differ, symmetric},
    KernelCondition{"batched_channels", weighted, quantized, error, batched_channels, "quantize the weight per tensor"},
    KernelCondition{"axis", weighted, quantized, in_float, axis_in_float, along_outputs},
    KernelCondition{"axis", weighted, quantized, error, axis, along_outputs},
    KernelCondition{"bias_quantized", weighted, quantized, info, bias_quantized, "leave the bias in float"},
    KernelCondition{"bias_not_quantized", weighted, quantized, in_float, bias_not_quantized, with_bias},
    KernelCondition{"bias_float_runtime_quant", weighted, quantized, info, bias_in_float, with_bias},
    KernelCondition{"bias_dtype", weighted, quantized, in_float, bias_dtype, "quantize the bias to int32"},
    KernelCondition{"bias_dtype", weighted, quantized, kernel_left_out, signed_bias, "quantize it to uint8"},
    KernelCondition{"int32_bias", weighted, quantized, error, int32_bias, "leave the bias in float"},
    KernelCondition{"bias_scale_mismatch", weighted, quantized, in_float, bias_scale_in_float, at_products},
    KernelCondition{"bias_scale_mismatch", weighted, quantized, error, bias_scale_mismatch, at_products},
    KernelCondition{"merged_with_add", weighted, quantized, in_float, merged_with_add,
                    "write it as a Gemm, or put a pair of quantizers behind it"},
    // Whether a quantizer takes up the result.
    KernelCondition{"needs_quantizer", weighted, quantized, kernel_left_out, needs_quantizer,
                    "put a pair of quantizers behind it"},
    KernelCondition{"activation_not_redundant", any, quantized, in_float, waits,
                    "put a pair of quantizers in front of the activation, or behind it"},
    KernelCondition{"graph_output", any, quantized, float_result, graph_output,
                    "let the output be the dequantized tensor"},
    KernelCondition{"several_users", any, quantized, float_result, several_users,
                    "put a pair of quantizers behind it that all of them share"},
    KernelCondition{"activation_unsupported", any, quantized, float_result, activation_unsupported,
                    "put a pair of quantizers in front of the activation"},
    KernelCondition{"output_not_quantized", any, quantized, float_result, output_not_quantized,
                    "put a pair of quantizers behind it"},
    // Whether the kernel gives what the quantizer behind it makes.
    KernelCondition{"dtypes", weighted, quantized, in_float, product_dtypes, in_target},
    KernelCondition{"dtypes", elementwise, quantized, in_float, operand_dtype, in_target},
    KernelCondition{"scale_rank", computes, quantized, error, output_list, scalars},
    KernelCondition{"per_axis_output", computes, quantized, error, output_scales, "quantize the output per tensor"},
    KernelCondition{"dtype_mismatch", computes, quantized, float_result, dtype_mismatch,
                    "quantize input and output to one dtype"},
    KernelCondition{"output_zero_point", computes, quantized, float_result, output_zero_point, around_zero},
    KernelCondition{"dtypes", computes, placed, kernel_refused, dtypes_refused, in_target},
    KernelCondition{"dtypes", computes, planned, in_float, planned_dtype, in_target},
    KernelCondition{"dtypes", any, placed, kernel_left_out, dtypes_left_out, in_target},
    KernelCondition{"dtypes", computes, placed, error, dtypes_miscomputed, leave},
    KernelCondition{"channel_zero_point", weighted, quantized, kernel_refused, refused_zero_points, symmetric},
    KernelCondition{"channel_zero_point", weighted, quantized, kernel_left_out, zero_points_left_out, symmetric},
    KernelCondition{"one_weight_scale", weighted, quantized, kernel_left_out, one_weight_scale,
                    "quantize the weight per tensor"},
    KernelCondition{"axis", weighted, quantized, kernel_left_out, axis_left_out, along_outputs},
    KernelCondition{"computed_16_bit_weight", weighted, quantized, kernel_left_out, computed_16_bit_weight,
                    "quantize the second factor to 8 bits"},
    KernelCondition{"constant_16_bit_weight", weighted, quantized, kernel_left_out, constant_16_bit_weight,
                    "quantize the weight to 8 bits"},
    KernelCondition{"coarse_16_bits", weighted, quantized, info, coarse_results, ""},
    KernelCondition{"asymmetric_16_bit_weight", weighted, quantized, kernel_left_out, asymmetric_16_bit_weight,
                    "quantize the second factor symmetrically"},
    KernelCondition{"narrowed_factor", weighted, quantized, warning, narrowed_factor,
                    "quantize the second factor to int16 with the zero point 0"},
    KernelCondition{"bias_beside_4_bits", weighted, quantized, kernel_refused, bias_beside_4_bits, along_outputs},
    KernelCondition{"signed_depthwise", weighted, quantized, kernel_refused, signed_depthwise, in_target},
    KernelCondition{"channel_slope", elementwise, both, kernel_refused, channel_slope, in_target},
    KernelCondition{"lowest_zero_point", elementwise, placed, error, lowest_zero_point,
                    "quantize its output with the zero point -128"},
    KernelCondition{"last_axis", computes, placed_too, error, last_axis, leave},
    KernelCondition{"qparams_differ", moves, quantized, error, assumed_qparams,
                    "quantize both with the same scale and zero point"},
    KernelCondition{"qparams_differ", one_qparams, quantized, in_float, shared_qparams_differ,
                    "quantize all of them with the same scale and zero point"},
    KernelCondition{"qparams_differ", moves, quantized, in_float, moved_qparams_differ,
                    "quantize both with the same scale and zero point"},
    // Whether the activations between the kernel and a quantizer vanish.
    KernelCondition{"near_redundant", any, quantized, refused, near_redundant, "lower the scale until the bounds hold"},
    KernelCondition{"activations_in_a_row", any, quantized, float_before, activations_in_a_row,
                    "put a pair of quantizers behind the last activation that is fused"},
    KernelCondition{"activation_not_redundant", any, quantized, float_before, activation_not_redundant,
                    "put a pair of quantizers in front of the activation, or lower the scale"},
    KernelCondition{"branch_in_float", any, quantized, float_before, branch_in_float,
                    "put a pair of quantizers behind the tensor of the other branch"},
    KernelCondition{"pairs_on_both_branches", weighted, quantized, warning, pairs_on_both_branches,
                    "take away the pair between the kernel and the sum"},
    KernelCondition{"nearer_branch", weighted, quantized, warning, nearer_branch,
                    "put the pair on the branch with fewer operators"},
    KernelCondition{"split_chain", weighted, quantized, warning, split_chain,
                    "take away the pair between the kernel and the activation"},
    // Whether the kernel computes what the operator does.
    KernelCondition{"partial_tiles", weighted.with(none), placed_too, error, partial_tiles,
                    "widen the weight by zeros to a multiple of 32 columns, and cut them off"},
    KernelCondition{"saturates", weighted, quantized, warning, saturates, "quantize the weights to so many bits"},
    KernelCondition{"attention", weighted, both, warning, masked_attention, leave},
    KernelCondition{"attention", weighted, both, warning, unusual_heads, "use heads of 9 to 256 elements"},
    KernelCondition{"small", weighted, both, warning, small_float8_conv, leave},
    KernelCondition{"small", weighted, quantized, warning, small_product, leave},
    KernelCondition{"probability_scale", weighted, quantized, warning, probability_scale,
                    "quantize the result of Softmax with the scale 1/448"},
    KernelCondition{"factors_apart", weighted, quantized, info, factors_apart, "multiply weight and bias by them"},
    KernelCondition{"pad_apart", weighted, quantized, warning, pad_apart, "take away the pair between them"},
    KernelCondition{"gate_apart", weighted, quantized, info, gate_apart, "measure it"},
    KernelCondition{"score_factor", weighted, quantized, warning, score_factor, "multiply the queries by it"},
    KernelCondition{"attention_in_float", weighted, quantized, warning, attention_in_float,
                    "put a pair of quantizers behind it"},
    KernelCondition{"does_not_saturate", elementwise, placed_too, error, lost_one,
                    "leave it in float: it is over one element"},
    KernelCondition{"does_not_saturate", elementwise, planned, in_float, far_below, ""},
    KernelCondition{"does_not_saturate", elementwise, placed, error, lost_above,
                    "quantize its output up to the greatest of its results"},
    KernelCondition{"scale_ratio", elementwise, placed_too, error, scale_ratio, leave},
    KernelCondition{"attribute", any, both, in_float, attribute_in_float, ""},
    KernelCondition{"rounds_down", any, placed_too, warning, rounds_down, leave},
    KernelCondition{"attribute_ignored", any, placed_too, error, attribute_ignored, leave},
    KernelCondition{"attribute", any, placed_too, kernel_left_out, attribute_left_out, leave},
    KernelCondition{"attribute", any, placed_too, kernel_refused, attribute_refused, leave},
    // Operators on integers.
    KernelCondition{"dropped_bias", none, quantized, error, dropped_bias,
                    "make the weight a matrix, or give its scale the weight's shape with an extent of 1 for the rows"},
    KernelCondition{"unstated_zero_point", none, quantized, error, unstated_zero_point, "state the zero point, 0"},
    KernelCondition{"carried_int8", none, quantized, error, carried_int8,
                    "quantize what it is moved to, with its scale and zero point; or use u8"},
    KernelCondition{"carried_into_body", none, quantized, error, carried_into_body, with_pair},
    KernelCondition{"half_with_cache", none, quantized, error, half_with_cache,
                    "keep its cache in float, or use a later release"},
    KernelCondition{"dropped_cache_bias", none, quantized, error, dropped_cache_bias,
                    "keep its cache in float, or use a later release"},
};

}  // namespace detail::checks

GRAFT_INLINE std::span<const KernelCondition> kernel_conditions() { return detail::checks::table; }

GRAFT_INLINE std::vector<const Node*> nodes_within(const KernelView& view) {
  std::vector<const Node*> found;
  if (view.merged_with() != nullptr) found.push_back(view.merged_with());
  if (!view.looks_at_results()) return found;
  for (const detail::OutputChain& chain : view.results()) {
    if (detail::checks::ends_in_integers(view, chain) && detail::fuses(chain, view.target)) {
      for (const detail::OutputChain::Link* link = chain.nodes; link != nullptr; link = link->next)
        found.push_back(link->node);
      continue;
    }
    // Of a float result the kernel computes activations that wait for no quantizer.
    std::size_t count = 0;
    for (const Node* const activation : chain.activations) {
      const bool waits = fused_activation(*activation, view.target)->when != Fuses::always ||
                         (activation->is("Clip") && !bounds(*activation));
      if (waits || ++count > view.target.fused_in_a_row) break;
      found.push_back(activation);
    }
  }
  return found;
}

}  // namespace graft::inline v1
