#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/detail/small_products.hpp>
#include <graft/quantize/kernel/channels.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/detail/backend_checks.hpp>
#include <graft/quantize/kernel/detail/operand_checks.hpp>
#include <graft/vocabulary/attention_scores.hpp>

// The checks of the table that are about operators with an input, a weight and perhaps a bias.
namespace graft::inline v1::detail::checks {

inline bool is_given(const Value& value) { return value.initializer() != nullptr || value.is_constant(); }

/// The bias, if it is quantized.
inline const Value* integer_bias(const KernelView& v) {
  return v.target.bias == BiasForm::int32 ? v.node.input(2) : nullptr;
}

inline Verdict overridable_weight(const KernelView& v) {
  return fails_if(is_overridable(*v.node.input(1)), "its weight is an initializer that callers may override");
}
inline Verdict overridable_bias(const KernelView& v) {
  const Value* const bias = integer_bias(v);
  return fails_if(bias != nullptr && is_overridable(*bias), "its bias is an initializer that callers may override");
}

/// Float constants are quantized later, dequantized tensors are already.
inline bool can_be_quantized(const Value& value) { return value.is_constant() || is_dequantized(value); }

/// Constants in float behind a pair are folded when the model is loaded.
inline bool is_weight_computed(const KernelView& v) {
  if (v.weight() == nullptr || constant_input(*v.weight(), 0)) return false;
  return v.target.has(Quirk::does_not_simplify) || !is_stored(*v.weight()->output(0));
}
/// Whether a kernel for constant weights takes the factors all the same: uint8 around 128 is int8 then.
inline bool are_factors_symmetric(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::symmetric_factors) || v.operands().front() == nullptr) return false;
  return stated_zero_point(*v.operands().front()) == 0 &&
         stated_zero_point(*v.weight()) == (quantized_dtype(*v.weight()) == DType::u8 ? 128 : 0);
}
/// The second factor of a MatMul may be computed, unless the kernel says otherwise.
inline Verdict weight_not_constant(const KernelView& v) {
  const bool wants_constant = v.kernel.has(KernelQuirk::constant_weight);
  if (v.is_planned())
    return fails_if(!can_be_quantized(*v.node.input(1)) && (wants_constant || !v.node.is("MatMul")),
                    "its weight is not constant");
  if (!wants_constant || !is_weight_computed(v) || are_factors_symmetric(v)) return Verdict::yes();
  return Verdict::no(v.kernel.has(KernelQuirk::symmetric_factors)
                         ? "its second factor is not constant, nor are both symmetric"
                         : "its second factor is not constant");
}
inline Verdict bias_not_constant(const KernelView& v) {
  const Value* const bias = integer_bias(v);
  return fails_if(bias != nullptr && !can_be_quantized(*bias), "its bias is not constant");
}

inline Verdict alpha(const KernelView& v) {
  return fails_if(product_factor(v.node) != 1 && !v.kernel.takes_factor(v.node.input(2) != nullptr),
                  "its alpha is not 1");
}
inline Verdict alpha_sign(const KernelView& v) {
  return fails_if(!(product_factor(v.node) > 0), "its alpha is not positive");
}
/// A planned bias is not multiplied by beta; a runtime that falls back to float does not mind.
inline Verdict beta(const KernelView& v) {
  if (!v.node.is("Gemm") || v.node.input(2) == nullptr) return Verdict::yes();
  const bool is_asked = v.is_planned() || !v.target.has(Quirk::falls_back_to_float);
  return fails_if(is_asked && v.node.attr<float>("beta").value_or(1) != 1, "its beta is not 1");
}
/// gemm_bias makes such a bias of any that it can.
inline Verdict bias_shape(const KernelView& v) {
  if (!v.node.is("Gemm") || v.node.input(2) == nullptr) return Verdict::yes();
  const Shape weight = v.node.input(1)->shape(), bias = v.node.input(2)->shape();
  const std::optional<std::size_t> axis = channel_axis(v.node, weight.rank());
  const bool differs = axis && bias.rank() == 1 && bias[0].known() && weight[*axis].known() && bias[0] != weight[*axis];
  return fails_if(bias.rank() != 1 || differs, "its bias has no value for each channel");
}

/// Whether the runtime quantizes a float weight or bias itself.
inline bool is_quantized_by_runtime(const KernelView& v, const Value* constant) {
  return v.kernel.has(KernelQuirk::quantizes_constants) &&
         (v.quantizes_own_result() || !v.kernel.has(KernelQuirk::float_output)) && constant != nullptr &&
         is_given(*constant);
}
inline Verdict weight_not_quantized(const KernelView& v) {
  return fails_if(v.weight() == nullptr && !is_quantized_by_runtime(v, v.node.input(1)),
                  "its weight is not dequantized");
}
/// Where its kernel alone would not gain what the conversions take.
inline Verdict weight_not_quantized_alone(const KernelView& v) {
  return pays_alone(v) ? Verdict::yes() : weight_not_quantized(v);
}
inline Verdict only_bias_quantized(const KernelView& v) {
  return fails_if(v.weight() == nullptr && v.bias() != nullptr, "its weight is float and its bias is not");
}
inline Verdict weight_in_float(const KernelView& v) {
  return fails_if(v.weight() == nullptr, "its weight is float: the runtime quantizes it, per tensor");
}

inline std::optional<Tensor> weight_zero_point(const KernelView& v) {
  std::optional<Tensor> zero_point = v.weight() != nullptr ? constant_input(*v.weight(), 2) : std::nullopt;
  return zero_point && zero_point->size() != 0 ? zero_point : std::nullopt;
}
inline Verdict zero_point(const KernelView& v) {
  const std::optional<Tensor> given = weight_zero_point(v);
  if (is_weight_computed(v) && are_factors_symmetric(v)) return Verdict::yes();
  return fails_if(v.kernel.has(KernelQuirk::symmetric_weight) && given && given->to<std::int64_t>()[0] != 0,
                  "the zero point of its weight is not 0: the runtime refuses the kernel");
}
inline Verdict no_zero_point(const KernelView& v) {
  const auto states_none = [](const Node* dequantize) { return dequantize->input(2) == nullptr; };
  return fails_if(v.kernel.has(KernelQuirk::needs_zero_points) && std::ranges::any_of(v.dequantizers(), states_none),
                  "its input or weight has no zero point");
}
inline Verdict zero_points_differ(const KernelView& v) {
  const std::optional<Tensor> given = weight_zero_point(v);
  if (!given || v.kernel.has(KernelQuirk::zero_points_by_channel)) return Verdict::yes();
  const auto values = given->to<std::int64_t>();
  return fails_if(std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end(),
                  "the channels of its weight have different zero points: the kernel fails");
}

/// The rank of a weight with several scales; 0 of others.
inline std::size_t rank_with_scales(const KernelView& v) {
  const std::optional<Tensor> scale = v.weight() != nullptr ? constant_input(*v.weight(), 1) : std::nullopt;
  if (!scale || scale->size() == 1 || v.weight()->input(0) == nullptr) return 0;
  return v.weight()->input(0)->shape().rank();
}
inline bool is_batched(const KernelView& v) { return v.node.is("MatMul") && rank_with_scales(v) > 2; }
inline Verdict batched_channels(const KernelView& v) {
  if (!is_batched(v)) return Verdict::yes();
  return Verdict::no({"its weight of rank {} has several scales: the kernel takes one and fails",
                      {},
                      {static_cast<double>(rank_with_scales(v))},
                      1});
}
inline bool lacks_blocks(const KernelView& v) { return is_in_blocks(v) && lacked_dtypes(v) != nullptr; }
/// An axis of the dequantized weight, behind a Transpose of it.
inline std::size_t moved_axis(const KernelView& v, std::size_t axis) {
  const Node& producer = *v.node.input(1)->producer();
  if (!producer.is("Transpose") || producer.input(0)->producer() != v.weight()) return axis;
  const auto order = producer.attr<std::vector<std::int64_t>>("perm");
  if (!order) return rank_with_scales(v) - 1 - axis;
  const auto place = std::ranges::find(*order, static_cast<std::int64_t>(axis));
  return static_cast<std::size_t>(place - order->begin());
}
inline Verdict axis(const KernelView& v) {
  const std::size_t rank = rank_with_scales(v);
  if (rank == 0 || is_batched(v) || lacks_blocks(v)) return Verdict::yes();
  const std::int64_t axis = v.weight()->attr<std::int64_t>("axis").value_or(1);
  const auto given = moved_axis(v, static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis));
  if (channel_axis(v.node, rank).value_or(given) == given) return Verdict::yes();
  return Verdict::no({"its weight is dequantized along axis {}, the kernel takes that for the output channels",
                      {},
                      {static_cast<double>(axis)},
                      1});
}
inline Verdict axis_in_float(const KernelView& v) {
  const bool is_checked = v.kernel.has(KernelQuirk::checks_axis) ||
                          (v.kernel.has(KernelQuirk::checks_quantized_axis) && v.quantizes_own_result());
  return is_checked ? axis(v) : Verdict::yes();
}

inline Verdict bias_quantized(const KernelView& v) {
  return fails_if(v.target.bias == BiasForm::float32 && v.target.has(Quirk::does_not_simplify) && v.bias() != nullptr,
                  "its bias is dequantized by an operator of its own");
}
/// Of kernels that take it in int32.
inline bool has_float_bias(const KernelView& v) { return integer_bias(v) != nullptr && v.bias() == nullptr; }
inline Verdict bias_not_quantized(const KernelView& v) {
  if (!has_float_bias(v)) return Verdict::yes();
  if (v.kernel.has(KernelQuirk::takes_float_bias)) return Verdict::yes();
  const Value* const bias = v.node.input(2);
  return fails_if(!is_quantized_by_runtime(v, bias) || bias->shape().rank() != 1 || !axis(v),
                  "its bias is not dequantized");
}
inline Verdict bias_in_float(const KernelView& v) {
  return fails_if(has_float_bias(v), "its bias is float: the runtime quantizes it");
}
inline Verdict bias_dtype(const KernelView& v) {
  if (v.target.bias == BiasForm::float32 || v.bias() == nullptr) return Verdict::yes();
  const DType dtype = quantized_dtype(*v.bias());
  if (dtype == DType::i32 || v.kernel.has(KernelQuirk::miscomputes_int32_bias)) return Verdict::yes();
  return Verdict::no({"its bias is {name}, the kernel takes i32", {}, {}, 0, to_string(dtype)});
}

/// The channel whose bias has another scale than its products, by more than a fraction of that and this much.
inline Verdict bias_scale_off(const KernelView& v, float fraction, float least) {
  if (v.target.bias == BiasForm::float32 || v.bias() == nullptr || v.weight() == nullptr) return Verdict::yes();
  const std::optional<Tensor> x = constant_input(*v.operands().front(), 1), weight = constant_input(*v.weight(), 1),
                              bias = constant_input(*v.bias(), 1);
  if (!x || !weight || !bias || x->size() != 1) return Verdict::yes();
  const float x_scale = x->item<float>() * product_factor(v.node);
  const auto weights = weight->to<float>(), biases = bias->to<float>();
  if (weights.empty() || biases.empty()) return Verdict::yes();
  for (std::size_t c = 0; c < std::max(weights.size(), biases.size()); ++c) {
    const float wanted = x_scale * weights[c % weights.size()];
    const float given = biases[c % biases.size()];
    if (std::abs(given - wanted) <= fraction * std::abs(wanted) + least) continue;
    return v.no("the scale of its bias is " + shortest_decimal(given) + " in channel " + std::to_string(c) +
                ", the kernel takes it for " + shortest_decimal(wanted));
  }
  return Verdict::yes();
}
/// Whether the runtime brings the bias to the scales of the products.
inline bool requantizes_bias(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::requantizes_bias) || v.bias() == nullptr || v.weight() == nullptr) return false;
  const std::optional<Tensor> scale = constant_input(*v.weight(), 1), given = constant_input(*v.bias(), 1);
  const std::optional<Tensor> zero_point = constant_input(*v.bias(), 2);
  const bool has_zero_point =
      zero_point && std::ranges::any_of(zero_point->to<std::int64_t>(), [](std::int64_t z) { return z != 0; });
  if (!scale || !given || scale->size() == 1 || has_zero_point) return true;
  return v.kernel.has(KernelQuirk::requantizes_8_bit_biases) && given->size() != 1 && bits(v.dtype()) == 8;
}
/// The kernel takes the bias for multiples of the input's scale times the weight's, whatever its own scale says.
inline Verdict bias_scale_mismatch(const KernelView& v) {
  return requantizes_bias(v) ? Verdict::yes() : bias_scale_off(v, 1e-5f, 0);
}
/// Some runtimes compare the scales, roughly, and take no bias for which they are not known.
inline Verdict bias_scale_in_float(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::checks_bias_scale) || v.node.input(2) == nullptr) return Verdict::yes();
  for (const Node* const dequantize : {v.operands().front(), v.weight(), v.bias()})
    if (dequantize != nullptr && !constant_input(*dequantize, 1))
      return Verdict::no("the scale of its bias is computed, or those that it is to be the product of");
  return bias_scale_off(v, 1e-2f, 1e-6f);
}

/// As a Gemm it has the Add's operand for a bias, which the runtime quantizes as it does that of others.
inline Verdict merged_with_add(const KernelView& v) {
  if (v.merged_with() == nullptr) return Verdict::yes();
  const Value& bias = *other_operand(*v.merged_with(), *v.node.output(0));
  return fails_if(!v.is_quantized(v.result()) || bias.shape().rank() != 1 || !is_given(bias),
                  "the runtime makes a Gemm of it and the Add behind it, whose bias is float");
}

inline Verdict product_dtypes(const KernelView& v) {
  const bool is_int8 = v.weight() == nullptr || (is_weight_computed(v) && are_factors_symmetric(v));
  const DType x = v.dtype(), weight = is_int8 ? DType::i8 : quantized_dtype(*v.weight());
  const LackedDTypes* const lacked = lacked_dtypes(v);
  if (v.kernel.takes(x, weight) || (lacked != nullptr && lacked->then != Lacking::in_float)) return Verdict::yes();
  return v.no("there is no integer kernel for " + std::string(to_string(x)) + " with weights of " +
              std::string(to_string(weight)));
}

inline Verdict factors_left_out(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::leaves_out_factors) || v.is_float()) return Verdict::yes();
  const float beta = v.node.input(2) != nullptr ? v.node.attr<float>("beta").value_or(1) : 1;
  return fails_if(product_factor(v.node) != 1 || beta != 1, "its alpha or beta is not 1: the backend leaves it out");
}
inline Verdict weight_moved(const KernelView& v) {
  if (v.weight() == nullptr) return Verdict::yes();
  if (v.kernel.has(KernelQuirk::unmoved_weight))
    return fails_if(v.node.input(1)->producer() != v.weight() && !is_weight_computed(v),
                    "its weight is moved behind its DequantizeLinear");
  if (!v.kernel.has(KernelQuirk::transposed_weight)) return Verdict::yes();
  for (const Node* node = v.node.input(1)->producer(); node != v.weight(); node = passing_tensor(*node)->producer())
    if (!node->is("Transpose")) return Verdict::no("its weight is moved by more than a Transpose");
  return Verdict::yes();
}
/// Those of a BatchNormalization behind its bias.
inline Verdict parameters(const KernelView& v) {
  for (std::size_t i = 3; i < v.node.input_count(); ++i)
    if (v.node.input(i) != nullptr && !v.is_dequantized(*v.node.input(i)))
      return Verdict::no("a parameter of it is not dequantized");
  return Verdict::yes();
}
inline Verdict int32_bias(const KernelView& v) {
  const bool is_int32 = v.bias() != nullptr && quantized_dtype(*v.bias()) == DType::i32 &&
                        (v.weight() == nullptr || bits(quantized_dtype(*v.weight())) == 8);
  return fails_if(v.kernel.has(KernelQuirk::miscomputes_int32_bias) && is_int32,
                  "its bias is int32: the runtime computes something else");
}
inline Verdict signed_bias(const KernelView& v) {
  const bool is_signed = v.bias() != nullptr && quantized_dtype(*v.bias()) == DType::i8;
  return fails_if(v.kernel.has(KernelQuirk::miscomputes_int32_bias) && is_signed,
                  "its bias is int8: the backend leaves it out");
}
/// The middle of the dtype is the only zero point that weights of several scales may have.
inline Verdict middle_zero_points(const KernelView& v) {
  if (scale_count(v.weight()) == 1) return Verdict::yes();
  const std::optional<Tensor> given = weight_zero_point(v);
  const DType dtype = quantized_dtype(*v.weight());
  const std::int64_t middle = is_unsigned_integer(dtype) ? std::int64_t{1} << (bits(dtype) - 1) : 0;
  const bool is_off = given ? std::ranges::any_of(given->to<std::int64_t>(), [=](auto z) { return z != middle; })
                            : middle != 0;
  return fails_if(is_off, "channels of its weight have a zero point other than the middle");
}
inline Verdict refused_zero_points(const KernelView& v) {
  return v.kernel.has(KernelQuirk::symmetric_channels) ? middle_zero_points(v) : Verdict::yes();
}
inline Verdict zero_points_left_out(const KernelView& v) {
  return v.kernel.has(KernelQuirk::leaves_out_zero_points) ? middle_zero_points(v) : Verdict::yes();
}
inline Verdict one_weight_scale(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::one_weight_scale) && scale_count(v.weight()) != 1,
                  "its weight has several scales: the backend leaves it out");
}
inline Verdict axis_left_out(const KernelView& v) {
  return v.kernel.has(KernelQuirk::leaves_out_axes) ? axis(v) : Verdict::yes();
}
inline bool has_weight_of(const KernelView& v, DType dtype) {
  return v.weight() != nullptr && quantized_dtype(*v.weight()) == dtype;
}
inline Verdict computed_16_bit_weight(const KernelView& v) {
  const bool is_wide = has_weight_of(v, DType::i16) || has_weight_of(v, DType::u16);
  return fails_if(v.kernel.has(KernelQuirk::constant_16_bit_weight) && is_wide && is_weight_computed(v),
                  "its second factor of 16 bits is computed: the backend leaves it out");
}
inline Verdict constant_16_bit_weight(const KernelView& v) {
  const bool is_wide = has_weight_of(v, DType::i16) || has_weight_of(v, DType::u16);
  return fails_if(v.kernel.has(KernelQuirk::computed_16_bit_weight) && is_wide && !is_weight_computed(v),
                  "its weight has 16 bits: the backend leaves it out");
}
inline Verdict coarse_results(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::coarse_16_bits) && bits(v.dtype()) == 16,
                  "its results of 16 bits are off by 4 to 15 steps on average");
}
inline Verdict asymmetric_16_bit_weight(const KernelView& v) {
  const bool is_asked = v.kernel.has(KernelQuirk::symmetric_16_bit_weight) && has_weight_of(v, DType::i16);
  return fails_if(is_asked && stated_zero_point(*v.weight()) != 0,
                  "its second factor of int16 has a zero point other than 0: the backend leaves it out");
}
inline Verdict narrowed_factor(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::narrows_factors) && has_weight_of(v, DType::u16) && is_weight_computed(v),
                  "its second factor of uint16 is computed with 8 bits");
}
inline Verdict bias_beside_4_bits(const KernelView& v) {
  const bool is_narrow = v.weight() != nullptr && bits(quantized_dtype(*v.weight())) == 4;
  return fails_if(v.kernel.has(KernelQuirk::no_bias_beside_4_bits) && v.node.input(2) != nullptr && is_narrow &&
                      (scale_count(v.weight()) == 1 || has_weight_of(v, DType::u4)),
                  "its weight of 4 bits has one scale, and it has a bias: the runtime refuses the model");
}
inline Verdict signed_depthwise(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::no_signed_depthwise) && v.dtype() == DType::i16 && is_depthwise(v.node),
                  "it is depthwise and of int16: the runtime refuses the model");
}

/// Until its weight is quantized zeros can be added that fill the tiles, unless it is computed or in groups.
inline Verdict partial_tiles(const KernelView& v) {
  const bool is_quantized = v.stage == ConditionStage::quantized && !v.is_float();
  if (is_quantized ? !has_partial_tiles(v.node, v.target) : !lacks_full_tiles(v.node, v.target)) return Verdict::yes();
  const std::optional<std::int64_t> columns = product_columns(v.node);
  if (!columns) return Verdict::no("the runtime miscomputes products of some numbers of columns on this processor");
  return Verdict::no(
      {"the runtime miscomputes products of {} columns on this processor", {}, {static_cast<double>(*columns)}, 1});
}

inline Verdict saturates(const KernelView& v) {
  const std::optional<Tensor> weight = v.weight() != nullptr ? constant_input(*v.weight(), 0) : std::nullopt;
  if (v.target.weight_bits == 8 || !weight || weight->dtype() != DType::i8 || is_depthwise(v.node))
    return Verdict::yes();
  const int most = 1 << (v.target.weight_bits - 1);
  const auto codes = weight->data<std::int8_t>();
  if (std::ranges::all_of(codes, [=](std::int8_t code) { return -most <= code && code <= most; }))
    return Verdict::yes();
  return Verdict::no({"its weight takes more than {} bits: sums of two products saturate",
                      {},
                      {static_cast<double>(v.target.weight_bits)},
                      1});
}

inline Verdict small_product(const KernelView& v) {
  return fails_if(v.kernel.has(KernelQuirk::slow_if_small) && is_small_product(v.node),
                  "it is too small to be faster in integers");
}

/// That of a planned model, or of a quantized one.
inline DType activation_dtype(const KernelView& v) { return v.is_planned() ? v.target.activation : v.dtype(); }

/// Of f8e4m3fn a Conv has at least 17 filters and channels, and a kernel of at most 32 elements.
inline Verdict small_float8_conv(const KernelView& v) {
  const bool is_asked = v.kernel.has(KernelQuirk::slow_if_small) && activation_dtype(v) == DType::f8e4m3fn;
  if (!is_asked || !v.node.is("Conv")) return Verdict::yes();
  const Shape weight = known_shape(*v.node.input(1));
  if (!weight.known() || weight.rank() < 3) return Verdict::yes();
  std::int64_t elements = 1;
  for (std::size_t axis = 2; axis < weight.rank(); ++axis) elements *= extent_or_large(weight, axis);
  const bool is_small = std::min(extent_or_large(weight, 0), extent_or_large(weight, 1)) <= 16;
  return fails_if(is_small || (elements > 32 && elements < large_extent),
                  "it has no kernel of f8e4m3fn: its channels are too few, or its kernel is too large");
}

/// Whether scores are masked by what is computed.
inline bool masks(const Node& node) {
  const auto is_computed = [](const Value* value) { return value != nullptr && !value->is_constant(); };
  if (node.is("Where")) return is_computed(node.input(0));
  return node.is("Add") && is_computed(node.input(0)) && is_computed(node.input(1));
}
/// Whether scores are multiplied by one number.
inline bool scales_by_number(const Node& node) {
  if (!node.is("Mul") && !node.is("Div")) return false;
  return std::ranges::any_of(node.inputs(), [](const Value* value) {
    const std::optional<Tensor> constant = value != nullptr ? value->constant() : std::nullopt;
    return constant && constant->size() == 1;
  });
}
/// The Softmax whose scores a product makes, or whose results it reads, and whether they are masked, or multiplied by a
/// number on the way.
struct AttentionScores {
  const Node* softmax = nullptr;
  bool masked = false;
  bool makes_them = false;
  bool scaled = false;
};
inline AttentionScores scores_of(const Node& product) {
  constexpr int farthest = 8;
  AttentionScores found;
  const std::vector<const Node*> row = vocabulary::nodes_to_softmax(product);
  for (const Node* const node : row) {
    found.masked |= masks(*node);
    found.scaled |= scales_by_number(*node);
  }
  if (!row.empty()) return found.softmax = row.back(), found.makes_them = true, found;
  const Value* value = product.input(0);
  for (int step = 0; step < farthest && value != nullptr && value->producer() != nullptr; ++step) {
    const Node& maker = *value->producer();
    const bool is_softmax = maker.is("Softmax");
    const bool goes_on = is_softmax || is_quantize(maker) || is_dequantize(maker) || vocabulary::keeps_scores(maker);
    if (!goes_on) break;
    if (is_softmax) found.softmax = &maker;
    found.masked |= masks(maker);
    value = maker.is("Where") && maker.input(1) != nullptr && maker.input(1)->is_constant() ? maker.input(2)
            : maker.is("Where")                                                             ? maker.input(1)
                                                                                            : maker.input(0);
  }
  return found.softmax != nullptr ? found : AttentionScores();
}
/// Of products of attention whose factors are computed; none where the kernel takes them as any others.
inline AttentionScores attention_scores(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::masked_in_float) || !v.node.is("MatMul")) return {};
  const Value* const factor = v.node.input(1);
  const bool is_constant = factor == nullptr || factor->is_constant();
  return is_constant || (v.weight() != nullptr && !is_weight_computed(v)) ? AttentionScores() : scores_of(v.node);
}
inline Verdict masked_attention(const KernelView& v) {
  const AttentionScores scores = is_integer(activation_dtype(v)) ? attention_scores(v) : AttentionScores();
  if (scores.softmax == nullptr) return Verdict::yes();
  if (scores.masked) return Verdict::no("it is of attention with a computed mask");
  constexpr std::int64_t most = 512;
  const Shape shape = scores.softmax->output(0)->shape();
  const bool is_long = shape.rank() > 0 && shape[shape.rank() - 1].known() && shape[shape.rank() - 1].value() > most;
  return fails_if(is_long, "it is of attention over more than 512 positions");
}
/// Of f8e4m3fn: the elements of a head are summed to a score, and are the columns of the other product.
inline Verdict unusual_heads(const KernelView& v) {
  if (activation_dtype(v) != DType::f8e4m3fn) return Verdict::yes();
  const AttentionScores scores = attention_scores(v);
  if (scores.softmax == nullptr) return Verdict::yes();
  const Shape shape = known_shape(*v.node.input(scores.makes_them ? 0 : 1));
  const std::int64_t head = shape.rank() > 0 ? extent_or_large(shape, shape.rank() - 1) : large_extent;
  return fails_if(head != large_extent && (head < 9 || head > 256), "its attention has no heads of 9 to 256 elements");
}
inline Verdict score_factor(const KernelView& v) {
  if (!v.target.has(Quirk::scaled_queries) || v.dtype() != DType::f8e4m3fn) return Verdict::yes();
  const AttentionScores scores = attention_scores(v);
  return fails_if(scores.makes_them && scores.scaled,
                  "the factor of its scores stands behind it: the runtime does not fuse the attention");
}
inline Verdict attention_in_float(const KernelView& v) {
  if (!v.target.has(Quirk::scaled_queries) || v.dtype() != DType::f8e4m3fn) return Verdict::yes();
  const AttentionScores scores = attention_scores(v);
  return fails_if(scores.softmax != nullptr && !scores.makes_them && !v.is_quantized(v.result()),
                  "nothing quantizes the result of its attention: the runtime does not fuse it");
}
/// Probabilities lie in [0, 1], whatever samples show.
inline Verdict probability_scale(const KernelView& v) {
  if (!v.target.has(Quirk::whole_probabilities) || v.dtype() != DType::f8e4m3fn) return Verdict::yes();
  const AttentionScores scores = attention_scores(v);
  const std::optional<QParams> q =
      scores.softmax != nullptr && !scores.makes_them ? qparams_of(*v.operands().front()) : std::nullopt;
  return fails_if(q && q->scale != choose_qparams({0, 1}, q->dtype, ZeroPoint::middle).scale,
                  "its probabilities have another scale than 1/448: the runtime does not fuse the attention");
}

inline Verdict factors_apart(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::factors_apart)) return Verdict::yes();
  const float beta = v.node.input(2) != nullptr ? v.node.attr<float>("beta").value_or(1) : 1;
  return fails_if(product_factor(v.node) != 1 || beta != 1, "its alpha or beta is an operator of its own");
}
/// A Pad by zeros that a pair parts from it.
inline Verdict pad_apart(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::fuses_pads) || v.operands().front() == nullptr) return Verdict::yes();
  const Node* const quantize = paired_quantize(*v.operands().front());
  const Node* const pad = quantize != nullptr ? made_by(*quantize->input(0), "Pad") : nullptr;
  if (pad == nullptr || pad->attr<std::string>("mode").value_or("constant") != "constant") return Verdict::yes();
  const Value* const fill = pad->input(2);
  const std::optional<Tensor> number = fill != nullptr ? fill->constant() : std::nullopt;
  const bool is_zero = fill == nullptr ? pad->attr<float>("value").value_or(0) == 0
                                       : number && number->size() == 1 && number->to<float>()[0] == 0;
  return fails_if(is_zero, "a pair parts it from the Pad in front: they are not fused");
}
inline Verdict gate_apart(const KernelView& v) {
  if (!v.kernel.has(KernelQuirk::depthwise_without_gates) || !is_depthwise(v.node)) return Verdict::yes();
  const std::optional<GatedProduct> gated = gated_product(*v.node.output(0), v.target);
  return fails_if(gated && gated->gate->is("Sigmoid"),
                  "it is depthwise: some releases do not fuse the Sigmoid and the Mul behind it");
}

}  // namespace graft::inline v1::detail::checks
