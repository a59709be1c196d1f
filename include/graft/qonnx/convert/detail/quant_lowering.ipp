#pragma once
#include <graft/qonnx/convert/detail/quant_lowering.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/convert/detail/quant_steps.hpp>
#include <graft/qonnx/convert/detail/quantize_constant.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/kernels/quant.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

/// The operators of a Quant with a constant bit width and any other parameters.
inline Value& lower_quant(const Node& node, const Tensor& bits, FloatSteps& steps) {
  Value &x = *node.input(0), &scale = *node.input(1), &zero_point = *node.input(2);
  const bool is_signed = qonnx::is_signed(node), is_narrow = qonnx::is_narrow(node);
  Value& v = steps.moved("Add", steps.divided(x, scale), zero_point);
  const std::span<const float> widths = bits.data<float>();
  const auto are_signs = [&](float width) { return is_bipolar(width, is_signed); };
  Value* integers = nullptr;
  if (!std::ranges::all_of(widths, are_signs)) {
    std::vector<float> lowest, highest;
    for (const float width : widths) {
      const IntegerRange range = integer_range(width, is_signed, is_narrow);
      lowest.push_back(range.min);
      highest.push_back(range.max);
    }
    Value& kept = steps.clamped(v, Tensor::of<float>(bits.dims(), lowest), Tensor::of<float>(bits.dims(), highest));
    integers = &steps.rounded(kept, rounding_mode(node));
  }
  if (std::ranges::any_of(widths, are_signs)) {
    Value& signs = steps.sign(v);
    if (integers == nullptr) {
      integers = &signs;
    } else {
      std::vector<bool> mask;
      for (const float width : widths) mask.push_back(are_signs(width));
      integers = &steps.op("Where", {&steps.constant(Tensor::of<bool>(bits.dims(), mask)), &signs, integers});
    }
  }
  return steps.multiplied(steps.moved("Sub", *integers, zero_point), scale);
}

GRAFT_INLINE Value* lower_quant(const Node& node, Rewriter& rewriter, std::string& why) {
  Value &x = *node.input(0), &scale = *node.input(1);
  const std::string hint(x.name());
  FloatSteps steps(rewriter, hint);
  const std::optional<Tensor> constant = x.constant();
  if (is_bipolar_quant(node)) {
    Value& result = steps.multiplied(steps.sign(x), scale);
    return &result;
  }
  if (constant && constant->dtype() == DType::f32)
    if (const std::optional<Quantizer> quantizer = quantizer_of(node))
      return &rewriter.constant(quantize_constant(*constant, *quantizer).values, hint + "_quantized");
  const std::optional<Tensor> bits = node.input(3)->constant();
  if (!bits || bits->dtype() != DType::f32 || bits->size() == 0) {
    why = "its bit width is not constant";
    return nullptr;
  }
  return &lower_quant(node, *bits, steps);
}

inline Tensor times(const Tensor& tensor, float factor) {
  std::vector<float> numbers = tensor.to<float>();
  for (float& number : numbers) number *= factor;
  return Tensor::of<float>(tensor.dims(), numbers);
}

/// The power of two below each magnitude, times `unit`. Computed on the magnitude times `down`, a power of two.
inline Value& power_below(Value& magnitude, float down, const Tensor& unit, FloatSteps& steps) {
  Value& grown = steps.op("Mul", {&magnitude, &steps.number(down * 8388609.0F)});
  Value& less = steps.op("Mul", {&grown, &steps.number(1 - 0x1p-24F)});
  return steps.op("Mul", {&steps.op("Sub", {&grown, &less}), &steps.constant(times(unit, 1 / down))});
}

/// The step of the format at each magnitude.
inline Value& step_at(Value& magnitude, const FloatFormat& format, const Tensor& bias, FloatSteps& steps) {
  constexpr float down = 0x1p-32F;  // avoids overflow
  Value* step = &power_below(magnitude, down, format.grain, steps);
  // For magnitudes below 2^-94 the result is too small. That matters only if the least step, at 2^(1 - bias), is there.
  const auto is_usual = [](float each) { return each <= 90; };
  if (!std::ranges::all_of(bias.data<float>(), is_usual)) {
    Value& is_large = steps.op("GreaterOrEqual", {&magnitude, &steps.number(1)});
    step = &steps.op("Where", {&is_large, step, &power_below(magnitude, 1, format.grain, steps)});
  }
  return steps.op("Max", {step, &steps.constant(format.least_step)});
}

GRAFT_INLINE Value* lower_float_quant(const Node& node, Rewriter& rewriter, std::string& why) {
  const std::optional<std::vector<Tensor>> numbers = constant_parameters(node, why);
  if (!numbers) return nullptr;
  const FloatFormat format = float_format(node, (*numbers)[1], (*numbers)[2], (*numbers)[3], (*numbers)[4]);
  Value& scale = *node.input(1);
  FloatSteps steps(rewriter, std::string(node.input(0)->name()));
  Value& v = steps.divided(*node.input(0), scale);
  Value& magnitude = steps.op("Add", {&steps.op("Abs", {&v}), &steps.number(std::numeric_limits<float>::min())});
  Value& step = step_at(magnitude, format, (*numbers)[3], steps);
  Value& q = steps.op("Mul", {&steps.rounded(steps.op("Div", {&v, &step}), rounding_mode(node)), &step});
  if (node.attr<std::int64_t>("saturation").value_or(1) != 0)
    return &steps.multiplied(steps.clamped(q, times(format.highest, -1), format.highest), scale);
  Value& above = steps.op("Greater", {&q, &steps.constant(format.highest)});
  Value& below = steps.op("Less", {&q, &steps.constant(times(format.highest, -1))});
  Value& from_below = steps.op("Where", {&below, &steps.constant(times(format.beyond, -1)), &q});
  return &steps.multiplied(steps.op("Where", {&above, &steps.constant(format.beyond), &from_below}), scale);
}

GRAFT_INLINE Value* lower_trunc(const Node& node, Rewriter& rewriter, std::string& why) {
  const std::optional<std::vector<Tensor>> numbers = constant_parameters(node, why);
  if (!numbers) return nullptr;
  Value &x = *node.input(0), &scale = *node.input(1), &zero_point = *node.input(2);
  const Truncation by = trunc_version(node) == 1
                            ? truncation_v1((*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3])
                            : truncation_v2(node, (*numbers)[0], (*numbers)[1], (*numbers)[3], (*numbers)[4]);
  FloatSteps steps(rewriter, std::string(x.name()));
  Value& integers = steps.rounded(steps.moved("Add", steps.divided(x, scale), zero_point), RoundingMode::half_even);
  Value& divided = steps.divided(integers, steps.constant(by.divisor));
  Value& kept = steps.rounded(steps.clamped(divided, by.lowest, by.highest), rounding_mode(node));
  return &steps.multiplied(steps.moved("Sub", kept, steps.constant(by.zero_point)), steps.constant(by.scale));
}

}  // namespace graft::inline v1::qonnx::detail
