#pragma once
#include <graft/qonnx/convert/qdq_to_quantized_operators.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/convert/detail/clamp.hpp>
#include <graft/qonnx/convert/detail/node_conversions.hpp>
#include <graft/qonnx/convert/detail/product_operands.hpp>
#include <graft/qonnx/convert/detail/quantized_operand.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The QuantizeLinear of a product's result, and the nodes between.
struct QuantizedResult {
  Node* quantize = nullptr;
  QParams params{};
  Clamp clamp{};

  std::int32_t code(float bound) const {
    const auto lowest = static_cast<float>(params.lowest() - params.zero_point),
               highest = static_cast<float>(params.highest() - params.zero_point);
    const float steps = std::clamp(bound / params.scale, lowest, highest);
    return static_cast<std::int32_t>(graft::detail::round_half_even(steps)) + params.zero_point;
  }
  std::int32_t lowest() const { return code(clamp.min); }
  std::int32_t highest() const { return code(clamp.max); }
};

inline Verdict read_result(const Node& node, QuantizedResult& result) {
  const ClampedValue clamped = clamped_behind(*node.output(0));
  const auto quantizes = [](const Use& use) {
    return !use.is_graph_output() && use.index() == 0 && is_quantize(*use.user());
  };
  const UseRange uses = clamped.value->uses();
  if (!std::any_of(uses.begin(), uses.end(), quantizes)) {
    const auto reads = [](const Use& use) { return !use.is_graph_output(); };
    const auto reader = std::find_if(uses.begin(), uses.end(), reads);
    if (reader == uses.end()) return Verdict::no("its result is not quantized, but of high precision");
    throw Error("its result is not quantized, but of high precision: " + std::string((*reader).user()->op_type()) +
                " reads it");
  }
  if (uses.size() != 1) return Verdict::no("its result is read in floats too");
  result.quantize = uses.front().user();
  result.clamp = clamped.clamp;
  if (&result.quantize->graph() != &node.graph()) return Verdict::no("its result is quantized in another scope");
  const std::optional<QParams> params = qparams_of(*result.quantize);
  if (!params) return Verdict::no("the q-params of its result are not constant, or several");
  result.params = *params;
  if (bits(params->dtype) == 8) return Verdict::yes();
  return Verdict::no(Reason{"its result has {} bits, where operators on integers make 8",
                            "bits",
                            {static_cast<double>(bits(params->dtype))},
                            1});
}

inline Verdict check_kernels(const ProductOperands& product, const QuantizedResult& result, bool is_conv) {
  const DType x = product.x.dtype(), y = result.params.dtype;
  if (x != y || (x == DType::i8 && product.w.dtype() != DType::i8))
    return Verdict::no("ONNX Runtime 1.24 has no kernel for these dtypes: it takes uint8 for x and y, or int8 for all");
  return !is_conv || product.w.has_one_zero_point()
             ? Verdict::yes()
             : Verdict::no("ONNX Runtime 1.24 computes a QLinearConv with one zero point for all weights");
}

/// The bias in int32 at the product of the scales. nullptr if there is none.
struct IntegerBias {
  Value* value = nullptr;
  std::optional<Tensor> constant{};
  double moved = 0;  ///< the largest change by rounding, in steps of the result
};

/// Whether the bias is dequantized with these scales.
inline bool is_int32_at(const Node& dequantize, const std::vector<float>& scales) {
  const std::optional<Tensor> scale = graft::detail::constant_input(dequantize, 1),
                              zero = graft::detail::constant_input(dequantize, 2);
  if (quantized_dtype(dequantize) != DType::i32 || !scale || scale->dtype() != DType::f32) return false;
  if (dequantize.input(2) != nullptr && !zero) return false;
  const std::vector<std::int32_t> zeros = zero ? zero->to<std::int32_t>() : std::vector<std::int32_t>();
  if (std::ranges::any_of(zeros, [](std::int32_t each) { return each != 0; })) return false;
  const std::vector<float> given = scale->to<float>();
  if (given.size() != 1 && given.size() != scales.size() && scales.size() != 1) return false;
  for (std::size_t i = 0; i < std::max(given.size(), scales.size()); ++i)
    if (given[given.size() == 1 ? 0 : i] != scales[scales.size() == 1 ? 0 : i]) return false;
  return true;
}

/// The limit of the change of a bias by rounding, in steps of the result.
inline constexpr double max_bias_error = 1.0 / 64;

/// y_scale: a step of the result.
inline Verdict read_bias(Value* value, const ProductOperands& product, float y_scale, Rewriter& rewriter,
                         IntegerBias& bias) {
  if (value == nullptr) return Verdict::yes();
  const std::vector<float> scales = product_scales(product.x, product.w);
  const bool is_row = is_bias_row(value->shape());
  if (is_row && value->producer() != nullptr && is_dequantize(*value->producer()) &&
      is_int32_at(*value->producer(), scales)) {
    bias.value = value->producer()->input(0);
    bias.constant = bias.value->constant();
    return Verdict::yes();
  }
  const std::optional<std::vector<double>> numbers = constant_numbers(*value);
  if (!numbers) return Verdict::no("its bias is neither constant nor int32 at the product of the scales");
  const std::size_t count = product.channels.value_or(numbers->size());
  if (numbers->size() != 1 && (numbers->size() != count || !is_row))
    return Verdict::no("its bias does not have one number for each channel");
  std::vector<std::int32_t> integers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double number = (*numbers)[numbers->size() == 1 ? 0 : i], scale = scales[scales.size() == 1 ? 0 : i],
                 steps = graft::detail::round_half_even(number / scale);
    if (!(std::abs(steps) <= std::numeric_limits<std::int32_t>::max()))
      return Verdict::no("its bias does not fit into int32 at the product of the scales");
    integers[i] = static_cast<std::int32_t>(steps);
    const double moved = std::abs(number - steps * scale);
    if (moved <= std::abs(number) * std::numeric_limits<float>::epsilon()) continue;  // both are float32
    bias.moved = std::max(bias.moved, moved / y_scale);
    if (moved / y_scale > max_bias_error)
      return Verdict::no(
          Reason{"its bias {} is not a multiple of {}, the product of the scales: rounding would move the "
                 "result by {} of its step {}",
                 "bias",
                 {number, scale, moved / y_scale, y_scale},
                 4});
  }
  bias.constant = Tensor::of<std::int32_t>({static_cast<std::int64_t>(count)}, integers);
  bias.value = &rewriter.constant(*bias.constant, std::string(value->name()) + "_quantized");
  return Verdict::yes();
}

/// Whether all readers of the integers are Clips within these bounds.
inline bool is_clipped_within(const Value& y, std::int32_t lowest, std::int32_t highest) {
  const UseRange uses = y.uses();
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (use.is_graph_output() || use.index() != 0 || !use.user()->is("Clip") || use.user()->opset() < 11) return false;
    const std::optional<Tensor> min = graft::detail::constant_input(*use.user(), 1),
                                max = graft::detail::constant_input(*use.user(), 2);
    const QParams ends{1, 0, y.dtype()};
    const std::int32_t least = min && min->size() == 1 ? min->item<std::int32_t>() : ends.lowest(),
                       most = max && max->size() == 1 ? max->item<std::int32_t>() : ends.highest();
    return lowest <= least && most <= highest && least <= most;
  });
}

/// The integer Clip with the effect of the nodes between the product and the QuantizeLinear.
inline Verdict clip_codes(const QuantizedResult& result, Rewriter& rewriter, Value*& y) {
  const std::int32_t lowest = result.lowest(), highest = result.highest();
  const bool has_min = lowest > result.params.lowest(), has_max = highest < result.params.highest();
  if ((!has_min && !has_max) || is_clipped_within(*result.quantize->output(0), lowest, highest)) return Verdict::yes();
  if (y->graph().opset() < 12) return Verdict::no("a Clip of integers needs opset 12");
  const auto bound = [&](bool is_there, std::int32_t code, std::string_view hint) {
    return is_there ? &rewriter.constant(Tensor::of<std::int32_t>(result.params.dtype, {}, {code}), hint) : nullptr;
  };
  y = &rewriter.op("Clip", {y, bound(has_min, lowest, "lowest"), bound(has_max, highest, "highest")});
  return Verdict::yes();
}

inline Verdict to_quantized_operator(Node& node, const IntegerOptions& options, Rewriter& rewriter, std::string& note) {
  ProductOperands product;
  if (Verdict read = read_product(node, product); !read) return read;
  QuantizedResult result;
  if (Verdict read = read_result(node, result); !read) return read;
  if (Verdict has = check_kernels(product, result, node.is("Conv")); !has) return has;
  IntegerBias bias;
  const float y_scale = result.params.scale;
  if (Verdict read = read_bias(node.input(2), product, y_scale, rewriter, bias); !read) return read;
  if (Verdict fits = fit_int32(product.w, product.channel_axis, bias.constant); !fits) return fits;
  if (bias.moved != 0)
    note = display_name(node) + ": its bias was rounded, by up to " + shortest_decimal(static_cast<float>(bias.moved)) +
           " of a step of the result";

  rewriter.at(*result.quantize);
  for (QuantizedOperand* const operand : {&product.x, &product.w}) widen(*operand, rewriter);
  if (options.uint8_weights && product.x.dtype() == DType::u8) make_uint8(product.w, rewriter);
  std::vector<Value*> inputs;
  for (const QuantizedOperand* const operand : {&product.x, &product.w})
    inputs.insert(inputs.end(), {operand->data, &operand->scale_input(rewriter), &operand->zero_point_input(rewriter)});
  QuantizedOperand y;
  y.data = result.quantize->output(0);
  y.scale_value = result.quantize->input(1);
  y.zero_point_value = result.quantize->input(2);
  y.scale = y.scale_value->constant().value();
  y.zero_point = y.zero_point_value != nullptr ? y.zero_point_value->constant().value()
                                               : Tensor(result.params.dtype, y.scale.dims());
  const bool is_gemm = node.is("Gemm");
  if (is_gemm) inputs.push_back(bias.value);
  inputs.insert(inputs.end(), {&y.scale_input(rewriter), &y.zero_point_input(rewriter)});
  if (node.is("Conv") && bias.value != nullptr) inputs.push_back(bias.value);
  const std::string_view op = is_gemm ? "com.microsoft::QGemm" : (node.is("Conv") ? "QLinearConv" : "QLinearMatMul");
  Value* quantized = &operator_like(rewriter, node, op, inputs, {"beta"});
  if (Verdict clipped = clip_codes(result, rewriter, quantized); !clipped) return clipped;
  return rewriter.replace(*result.quantize->output(0), *quantized);
}

}  // namespace detail

GRAFT_INLINE Pass qdq_to_quantized_operators(const IntegerOptions& options) {
  const auto convert = [options](Node& node, Rewriter& rewriter, std::string& note) {
    if (node.is("ConvTranspose") && detail::touches_quantizers(node))
      return Verdict::no("there is no ConvTranspose of quantized tensors");
    if (!detail::is_product(node) || !detail::touches_quantizers(node)) return detail::not_concerned();
    return detail::to_quantized_operator(node, options, rewriter, note);
  };
  return detail::convert_nodes("qdq_to_quantized_operators", convert);
}

}  // namespace graft::inline v1::qonnx
