#pragma once
#include <graft/qonnx/convert/detail/float_steps.hpp>

#include <cmath>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/qonnx/convert/detail/along_axis.hpp>
#include <graft/qonnx/convert/detail/is_constantly.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE Value& FloatSteps::op(std::string_view op_type, std::initializer_list<Value*> inputs) {
  return rewriter_.op(op_type, inputs);
}

GRAFT_INLINE Value& FloatSteps::number(float value) { return constant(Tensor::scalar(value)); }

GRAFT_INLINE Value& FloatSteps::constant(Tensor tensor) { return rewriter_.constant(std::move(tensor), hint_); }

GRAFT_INLINE Value& FloatSteps::divided(Value& x, Value& by) {
  return is_constantly(by, 1) ? x : op("Div", {&x, &by});
}

GRAFT_INLINE Value& FloatSteps::multiplied(Value& x, Value& by) {
  return is_constantly(by, 1) ? x : op("Mul", {&x, &by});
}

GRAFT_INLINE Value& FloatSteps::moved(std::string_view op_type, Value& x, Value& zero_point) {
  return is_constantly(zero_point, 0) ? x : op(op_type, {&x, &zero_point});
}

GRAFT_INLINE Value& FloatSteps::sign(Value& x) {
  return op("Where", {&op("GreaterOrEqual", {&x, &number(0)}), &number(1), &number(-1)});
}

GRAFT_INLINE Value& FloatSteps::clamped(Value& x, const Tensor& lowest, const Tensor& highest) {
  const float low = lowest.data<float>().front(), high = highest.data<float>().front();
  if (!is_uniform(lowest) || !is_uniform(highest) || !(low <= high))
    return op("Max", {&op("Min", {&x, &constant(highest)}), &constant(lowest)});
  if (std::isinf(low) && std::isinf(high)) return x;
  if (rewriter_.graph().opset() >= 11) return op("Clip", {&x, &number(low), &number(high)});
  return rewriter_.op("Clip", {&x}, {{"min", low}, {"max", high}});
}

GRAFT_INLINE Value& FloatSteps::rounded(Value& x, RoundingMode mode) {
  switch (mode) {
    case RoundingMode::half_even: return op("Round", {&x});
    case RoundingMode::floor: return op("Floor", {&x});
    case RoundingMode::ceil: return op("Ceil", {&x});
    case RoundingMode::down: return signed_like(x, op("Floor", {&op("Abs", {&x})}));
    case RoundingMode::up: return signed_like(x, op("Ceil", {&op("Abs", {&x})}));
    case RoundingMode::half_up:
      return signed_like(x, op("Floor", {&op("Add", {&op("Abs", {&x}), &number(0.5F)})}));
    case RoundingMode::half_down:
      return signed_like(x, op("Ceil", {&op("Sub", {&op("Abs", {&x}), &number(0.5F)})}));
  }
  return x;
}

GRAFT_INLINE Value& FloatSteps::signed_like(Value& x, Value& magnitude) {
  return op("Mul", {&op("Sign", {&x}), &magnitude});
}

}  // namespace graft::inline v1::qonnx::detail
