#pragma once
#include <graft/qonnx/convert/detail/lower_float_quant.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/convert/detail/constant_parameters.hpp>
#include <graft/qonnx/convert/detail/float_steps.hpp>
#include <graft/qonnx/ops/float_format.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

inline Tensor times(const Tensor& tensor, float factor) {
  std::vector<float> numbers = tensor.to<float>();
  for (float& number : numbers) number *= factor;
  return Tensor::of<float>(tensor.dims(), numbers);
}

/// The power of two below each magnitude, times `unit`. It is taken of `down` times the magnitude, a power of two.
inline Value& power_below(Value& magnitude, float down, const Tensor& unit, FloatSteps& steps) {
  Value& grown = steps.op("Mul", {&magnitude, &steps.number(down * 8388609.0F)});
  Value& less = steps.op("Mul", {&grown, &steps.number(1 - 0x1p-24F)});
  return steps.op("Mul", {&steps.op("Sub", {&grown, &less}), &steps.constant(times(unit, 1 / down))});
}

/// The step of the format at each magnitude.
inline Value& step_at(Value& magnitude, const FloatFormat& format, const Tensor& bias, FloatSteps& steps) {
  constexpr float down = 0x1p-32F;  // so that nothing overflows
  Value* step = &power_below(magnitude, down, format.grain, steps);
  // Of magnitudes below 2^-94 that is too little, which matters only where the least step is there, at 2^(1 - bias).
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

}  // namespace graft::inline v1::qonnx::detail
