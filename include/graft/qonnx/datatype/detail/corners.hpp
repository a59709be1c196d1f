#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/detail/known_ranges.hpp>
#include <graft/qonnx/datatype/detail/steps.hpp>
#include <graft/qonnx/datatype/tensor_range.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

// Elementwise operators that are monotone in each input, for any values of the others. The ends of their range are at
// corners, where each input is at one of its ends. The operator's own kernel computes them.

inline bool is_monotone(KnownRanges& known, const Node& node) {
  if (is_quantizer(node) || node.is("BatchNormalization") || node.is("DequantizeLinear") || node.is("QuantizeLinear")) {
    if (node.attr<std::int64_t>("training_mode").value_or(0) != 0) return false;
    for (std::size_t i = 1; i < node.input_count(); ++i)  // they are not monotone in scales
      if (node.input(i) != nullptr && !known.constants().has(*node.input(i))) return false;
    return true;
  }
  constexpr std::string_view ops[] = {
      "Add",     "Asinh",       "Atan", "Cast", "Ceil", "Celu",     "Clip",     "Elu",  "Erf",       "Exp",
      "Floor",   "Log",         "Max",  "Min",  "Mul",  "Neg",      "Relu",     "Selu", "Sign",      "Round",
      "Sigmoid", "HardSigmoid", "Sqrt", "Sub",  "Sum",  "Softplus", "Softsign", "Tanh", "LeakyRelu", "ThresholdedRelu"};
  const auto attribute_is_negative = [&node](std::string_view name) { return node.attr<float>(name).value_or(0) < 0; };
  if (node.is("Div")) {  // 1 / x is monotone on either side of 0
    const TensorRange divisor = known.range(node.input(1)).whole();
    return known.constants().has(*node.input(1)) || divisor.min[0] > 0 || divisor.max[0] < 0;
  }
  if (node.is("PRelu")) return known.constants().has(*node.input(1)) && known.range(node.input(1)).min[0] >= 0;
  return is_any(node, ops) && !attribute_is_negative("alpha") && !attribute_is_negative("gamma");
}

/// An input at its ends, with extent 1 on every axis along which it does not vary.
struct Ends {
  Dims dims{};
  std::vector<double> min{}, max{};
  std::optional<std::size_t> axis{};  ///< counted from the last axis
};

/// Some operators do not broadcast their first input: it gets the extents of the constant inputs.
inline void widen(KnownRanges& known, const Node& node, Dims& dims) {
  const auto extend = [&dims](std::size_t from_last, std::int64_t extent) {
    if (from_last >= dims.size()) dims.insert(dims.begin(), from_last + 1 - dims.size(), 1);
    std::int64_t& dim = dims[dims.size() - 1 - from_last];
    dim = std::max(dim, extent);
  };
  if (is_quantizer(node) || node.is("PRelu")) {
    for (const Value* const input : node.inputs()) {
      const std::optional<Tensor> constant = known.constants().find(input);
      for (std::size_t i = 0; constant && i < constant->rank(); ++i)
        extend(i, constant->dims()[constant->rank() - 1 - i]);
    }
    return;
  }
  std::optional<std::size_t> axis;
  const std::optional<Tensor> parameter = known.constants().find(node.input(1));
  if (node.is("BatchNormalization")) axis = 1;
  if (node.is("QuantizeLinear") || node.is("DequantizeLinear")) axis = axis_of_scale(known, node);
  if (!axis || !parameter || parameter->size() == 1) return;
  if (*axis >= dims.size()) return;  // the rank is unknown
  dims[*axis] = std::max(dims[*axis], parameter->size());
}

inline Ends ends_of(KnownRanges& known, const Node& node, std::size_t i) {
  const Value& x = *node.input(i);
  const TensorRange range = known.range(&x);
  Ends ends;
  const Shape shape = x.shape();
  ends.dims.assign(shape.rank(), 1);
  if (range.is_per_channel()) {
    ends.dims.resize(std::max(ends.dims.size(), range.axis + 1), 1);
    ends.dims[range.axis] = static_cast<std::int64_t>(range.min.size());
    ends.axis = ends.dims.size() - 1 - range.axis;
  }
  widen(known, node, ends.dims);
  const auto count = static_cast<std::size_t>(element_count(ends.dims));
  std::size_t inner = 1;
  for (std::size_t j = 0; ends.axis && j < *ends.axis; ++j)
    inner *= static_cast<std::size_t>(ends.dims[ends.dims.size() - 1 - j]);
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t channel = range.is_per_channel() ? j / inner % range.min.size() : 0;
    ends.min.push_back(range.min[channel]);
    ends.max.push_back(range.max[channel]);
  }
  return ends;
}

/// The axis of separate channels: one along which an input varies, else the only one along which the output does, or
/// axis 1.
inline std::optional<std::size_t> channel_axis(const Value& output, const std::vector<Ends>& ends, const Dims& dims) {
  const Shape shape = output.shape();
  if (shape.known() && shape.rank() != dims.size()) return std::nullopt;  // of an input whose rank is not known
  for (const Ends& one : ends)
    if (one.axis && *one.axis < dims.size() && dims[dims.size() - 1 - *one.axis] > 1)
      return dims.size() - 1 - *one.axis;
  if (!shape.known()) return std::nullopt;
  const auto is_long = [](std::int64_t dim) { return dim > 1; };
  if (std::count_if(dims.begin(), dims.end(), is_long) == 1)
    return static_cast<std::size_t>(std::find_if(dims.begin(), dims.end(), is_long) - dims.begin());
  return dims.size() > 1 && dims[1] > 1 ? std::optional<std::size_t>(1) : std::nullopt;
}

inline TensorRange gather(const std::vector<std::vector<double>>& results, const Dims& dims,
                          std::optional<std::size_t> axis) {
  std::size_t channels = 1, inner = 1;
  if (axis) channels = static_cast<std::size_t>(dims[*axis]);
  for (std::size_t i = axis.value_or(dims.size()) + 1; i < dims.size(); ++i) inner *= static_cast<std::size_t>(dims[i]);
  TensorRange range;
  range.axis = axis.value_or(0);
  range.min.assign(channels, INFINITY);
  range.max.assign(channels, -INFINITY);
  for (const std::vector<double>& values : results) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t channel = i / inner % channels;
      if (std::isnan(values[i])) {
        range.min[channel] = -INFINITY;
        range.max[channel] = INFINITY;
      } else {
        range.min[channel] = std::min(range.min[channel], values[i]);
        range.max[channel] = std::max(range.max[channel], values[i]);
      }
    }
  }
  return range;
}

/// The dtype for the corners. Integers would wrap, and a double of 2^63 is not an int64. So integers are computed in
/// double, and the caller checks whether the range exceeds the dtype.
inline DType computed_in(DType dtype, bool in_double) {
  if (in_double) return DType::f64;
  return dtype == DType::undefined ? DType::f32 : dtype;
}

/// A Cast to integers truncates, and to bool compares with 0.
inline std::optional<TensorRange> after_cast_to_integer(KnownRanges& known, const Node& node) {
  const DType to = node.output(0)->dtype();
  if (!node.is("Cast") || (!graft::is_integer(to) && to != DType::boolean)) return std::nullopt;
  TensorRange range = known.range(node.input(0));
  range.forget_steps();
  for (std::size_t i = 0; i < range.min.size(); ++i) {
    double &min = range.min[i], &max = range.max[i];
    const bool has_zero = min <= 0 && max >= 0, is_zero = min == 0 && max == 0;
    min = to == DType::boolean ? (has_zero ? 0 : 1) : std::trunc(min);
    max = to == DType::boolean ? (is_zero ? 0 : 1) : std::trunc(max);
  }
  return range;
}

/// The range of the node's output, if it is monotone. For integers it may exceed their dtype; they wrap then.
inline std::optional<TensorRange> at_corners(KnownRanges& known, const Node& node) {
  if (std::optional<TensorRange> cast = after_cast_to_integer(known, node)) return cast;
  const bool is_linear = node.is("QuantizeLinear") || node.is("DequantizeLinear");  // these saturate
  const bool in_double = !is_linear && graft::is_integer(node.input(0)->dtype());
  std::vector<std::size_t> varying;
  std::vector<Ends> ends;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* const input = node.input(i);
    inputs.push_back(known.constants().find(input).value_or(Tensor()));
    if (in_double && inputs.back())
      inputs.back() = Tensor::of<double>(DType::f64, inputs.back().dims(), inputs.back().to<double>());
    if (input == nullptr || inputs.back()) continue;
    varying.push_back(i);
    ends.push_back(ends_of(known, node, i));
  }
  constexpr std::size_t max_varying = 6;
  if (varying.empty() || varying.size() > max_varying) return std::nullopt;
  std::vector<std::vector<double>> results;
  Dims dims;
  for (std::size_t corner = 0; corner < std::size_t{1} << varying.size(); ++corner) {
    for (std::size_t j = 0; j < varying.size(); ++j) {
      const DType dtype = computed_in(node.input(varying[j])->dtype(), in_double);
      inputs[varying[j]] = Tensor::of<double>(dtype, ends[j].dims, (corner >> j & 1) != 0 ? ends[j].max : ends[j].min);
    }
    try {
      const Tensor result = evaluate(node, inputs, kernels()).front();
      dims = result.dims();
      results.push_back(result.to<double>());
      if (in_double && node.is("Div"))
        for (double& quotient : results.back()) quotient = std::trunc(quotient);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  return gather(results, dims, channel_axis(*node.output(0), ends, dims));
}

}  // namespace graft::inline v1::qonnx::detail
