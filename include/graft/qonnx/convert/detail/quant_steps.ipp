#pragma once
#include <graft/qonnx/convert/detail/quant_steps.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/qonnx/convert/detail/along_axis.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>

namespace graft::inline v1::qonnx::detail {

/// Maps floats to integers in the same order: neighbours differ by 1, and both zeros are 0.
inline std::int64_t position(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - std::int64_t{bits};
}

inline float float_at(std::int64_t position) {
  const std::int64_t bits = position >= 0 ? position : std::numeric_limits<std::int32_t>::min() - position;
  return std::bit_cast<float>(static_cast<std::int32_t>(bits));
}

GRAFT_INLINE float QuantSteps::operator()(float x) const {
  const float clamped = clamp(x), steps = (divides ? clamped / scale : clamped) + zero_point;
  if (is_bipolar) return steps >= 0 ? 1.0F : -1.0F;
  return round(std::max(std::min(steps, range.max), range.min), rounding);
}

GRAFT_INLINE float QuantSteps::lowest() const { return (*this)(-std::numeric_limits<float>::infinity()); }

GRAFT_INLINE float QuantSteps::highest() const { return (*this)(std::numeric_limits<float>::infinity()); }

GRAFT_INLINE float QuantSteps::threshold(float integer) const {
  std::int64_t below = position(-std::numeric_limits<float>::infinity()) - 1,
               reached = position(std::numeric_limits<float>::infinity());
  while (reached - below > 1) {
    const std::int64_t middle = below + (reached - below) / 2;
    ((*this)(float_at(middle)) >= integer ? reached : below) = middle;
  }
  return float_at(reached);
}

GRAFT_INLINE std::vector<float> QuantSteps::thresholds() const {
  std::vector<float> found;
  const float most = highest();
  for (float integer = lowest() + step(); integer <= most; integer += step()) found.push_back(threshold(integer));
  return found;
}

GRAFT_INLINE Value& FloatSteps::op(std::string_view op_type, std::initializer_list<Value*> inputs) {
  return rewriter_.op(op_type, inputs);
}

GRAFT_INLINE Value& FloatSteps::number(float value) { return constant(Tensor::scalar(value)); }

GRAFT_INLINE Value& FloatSteps::constant(Tensor tensor) { return rewriter_.constant(std::move(tensor), hint_); }

GRAFT_INLINE Value& FloatSteps::divided(Value& x, Value& by) { return is_constantly(by, 1) ? x : op("Div", {&x, &by}); }

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
    case RoundingMode::half_up: return signed_like(x, op("Floor", {&op("Add", {&op("Abs", {&x}), &number(0.5F)})}));
    case RoundingMode::half_down: return signed_like(x, op("Ceil", {&op("Sub", {&op("Abs", {&x}), &number(0.5F)})}));
  }
  return x;
}

GRAFT_INLINE Value& FloatSteps::signed_like(Value& x, Value& magnitude) {
  return op("Mul", {&op("Sign", {&x}), &magnitude});
}

}  // namespace graft::inline v1::qonnx::detail
