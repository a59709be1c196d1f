#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/detail/known_ranges.hpp>
#include <graft/qonnx/datatype/detail/moved_ranges.hpp>
#include <graft/qonnx/datatype/tensor_range.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

/// Every value of a tensor is an integer times the step: one step, or one for each channel along the axis.
struct Steps {
  std::vector<double> step{};
  std::size_t axis = 0;
};

/// nullopt if it has one scale, or is unknown.
inline std::optional<std::size_t> axis_of_scale(KnownRanges& known, const Node& node) {
  const std::optional<Tensor> scale = known.constants().find(node.input(1));
  if (!scale || scale->rank() != 1 || scale->size() == 1) return std::nullopt;
  const std::int64_t axis = node.attr<std::int64_t>("axis").value_or(1);
  const Shape shape = node.input(0)->shape();
  if (axis >= 0) return static_cast<std::size_t>(axis);
  if (!shape.known() || axis + static_cast<std::int64_t>(shape.rank()) < 0) return std::nullopt;
  return static_cast<std::size_t>(axis + static_cast<std::int64_t>(shape.rank()));
}

/// A constant that is one number, or varies along one axis of an output of that rank; else nullopt.
inline std::optional<Steps> along_one_axis(KnownRanges& known, const Value* value, const Shape& output) {
  const std::optional<Tensor> constant = known.constants().find(value);
  if (!constant || constant->size() == 0) return std::nullopt;
  Steps steps{constant->to<double>()};
  if (constant->size() == 1) return steps;
  const Dims& dims = constant->dims();
  const auto place = std::find_if(dims.begin(), dims.end(), [](std::int64_t dim) { return dim != 1; });
  if (*place != constant->size() || !output.known() || output.rank() < dims.size()) return std::nullopt;
  steps.axis = output.rank() - dims.size() + static_cast<std::size_t>(place - dims.begin());
  return steps;
}

/// A scale that is 0, negative or not a number gives no step.
inline bool are_steps(const std::vector<double>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](double step) { return step > 0 && std::isfinite(step); });
}

inline bool are_integers(const std::optional<Tensor>& constant) {
  if (!constant) return false;
  const std::vector<double> values = constant->to<double>();
  return std::all_of(values.begin(), values.end(), [](double value) { return std::nearbyint(value) == value; });
}

inline std::optional<Steps> scales_of_quantizer(KnownRanges& known, const Node& node) {
  const Shape shape = node.output(0)->shape();
  if (is_bipolar_quant(node)) return along_one_axis(known, node.input(1), shape);
  const bool is_truncation = is_op(node, "Trunc") && node.input_count() == 5;
  if (is_quant(node) || is_truncation) {
    if (!are_integers(known.constants().find(node.input(2)))) return std::nullopt;
    return along_one_axis(known, node.input(1), shape);
  }
  if (node.is("DequantizeLinear")) {
    const std::optional<Tensor> scale = known.constants().find(node.input(1));
    if (!scale || scale->size() == 0) return std::nullopt;
    if (scale->size() == 1) return Steps{scale->to<double>()};
    if (const auto axis = axis_of_scale(known, node)) return Steps{scale->to<double>(), *axis};
  }
  return std::nullopt;
}

/// The steps of a quantizer, which may be constant.
inline std::optional<Steps> steps_of_quantizer(KnownRanges& known, const Node& node) {
  std::optional<Steps> steps = scales_of_quantizer(known, node);
  if (steps && !are_steps(steps->step)) steps.reset();
  return steps;
}

/// The steps of a constant, such as a quantized weight.
inline Steps steps_of_constant(KnownRanges& known, const Value& value) {
  if (const Node* const producer = value.producer(); producer != nullptr && !value.is_constant()) {
    if (const std::optional<Steps> steps = steps_of_quantizer(known, *producer)) return *steps;
    if (moves_elements(*producer) && producer->input(0) != nullptr) {
      const Steps before = steps_of_constant(known, *producer->input(0));
      TensorRange range;
      range.step = before.step;
      range.step_axis = before.axis;
      range = moved(*producer, std::move(range));
      return {range.step, range.step_axis};
    }
  }
  return are_integers(known.constants().find(&value)) ? Steps{{1}} : Steps();
}

/// The steps of an elementwise operator's output.
inline void set_steps(KnownRanges& known, const Node& node, TensorRange& range) {
  if (const std::optional<Steps> steps = steps_of_quantizer(known, node)) {
    range.step = steps->step;
    range.step_axis = steps->axis;
    return;
  }
  constexpr std::string_view rounding[] = {"Ceil", "Floor", "QuantizeLinear", "Round", "Sign"};
  if (is_any(node, rounding) || graft::is_integer(node.output(0)->dtype())) {
    range.step = {1};
    return;
  }
  const TensorRange x = known.range(node.input(0));
  const bool is_cast =
      node.is("Cast") && (node.output(0)->dtype() == DType::f32 || node.output(0)->dtype() == DType::f64);
  if (node.is("Relu") || node.is("Neg") || is_cast) {
    range.step = x.step;
    range.step_axis = x.step_axis;
    return;
  }
  if (node.input_count() < 2 || node.input(1) == nullptr) return;
  const TensorRange y = known.range(node.input(1));
  if (node.is("Add") || node.is("Sub")) {  // both operands must be multiples of one step
    if (x.step.size() == 1 && y.step.size() == 1 && x.step == y.step) range.step = x.step;
  } else if (node.is("Mul") || node.is("Div")) {
    const bool is_constant_first = known.constants().has(*node.input(0));
    if (is_constant_first && node.is("Div")) return;
    const auto factor = along_one_axis(known, node.input(is_constant_first ? 0 : 1), node.output(0)->shape());
    const TensorRange& moved = is_constant_first ? y : x;
    if (!factor || moved.step.size() != 1) return;
    if (std::find(factor->step.begin(), factor->step.end(), 0) != factor->step.end()) return;
    range.forget_steps();
    for (const double number : factor->step)
      range.step.push_back(std::fabs(node.is("Mul") ? moved.step[0] * number : moved.step[0] / number));
    range.step_axis = factor->axis;
  }
}

}  // namespace graft::inline v1::qonnx::detail
