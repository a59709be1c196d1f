#pragma once
#include <graft/qdq/quantized_constant.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1 {

GRAFT_INLINE QuantizedConstant add_quantized(Graph& graph, QuantizedTensor tensor, std::string_view hint) {
  const std::string name(hint);
  return {&graph.add_initializer(std::move(tensor.data), name + "_quantized"),
          &graph.add_initializer(std::move(tensor.scale), name + "_scale"),
          tensor.zero_point ? &graph.add_initializer(std::move(tensor.zero_point), name + "_zero_point") : nullptr,
          tensor.axis};
}

GRAFT_INLINE Value& insert_dequantize(const QuantizedConstant& constant, Node& before, std::string_view hint) {
  Attributes attributes;
  if (constant.axis) attributes.emplace_back("axis", *constant.axis);
  Node& node = before.graph().insert("DequantizeLinear", {constant.data, constant.scale, constant.zero_point}, 1,
                                     attributes, &before, std::string(hint) + "_dequantized");
  before.graph().set_type(*node.output(0), tensor_type(DType::f32, constant.data->shape()));
  return *node.output(0);
}

GRAFT_INLINE std::optional<QuantizedTensor> quantized_constant(const Node& dequantize) {
  std::optional<Tensor> data = detail::constant_input(dequantize, 0), scale = detail::constant_input(dequantize, 1),
                        zero_point = detail::constant_input(dequantize, 2);
  if (!data || !scale || scale->dtype() != DType::f32 || scale->rank() > 1) return std::nullopt;
  if (dequantize.input(2) != nullptr && (!zero_point || zero_point->size() != scale->size())) return std::nullopt;
  std::optional<std::size_t> axis;
  if (scale->rank() == 1 && (scale->size() != 1 || dequantize.attribute("axis") != nullptr)) {
    const std::int64_t given = dequantize.attr<std::int64_t>("axis").value_or(1);
    axis = static_cast<std::size_t>(given < 0 ? given + static_cast<std::int64_t>(data->rank()) : given);
    if (*axis >= data->rank() || data->dims()[*axis] != scale->size()) return std::nullopt;
  }
  if (!zero_point) zero_point = Tensor(data->dtype(), scale->dims());
  return QuantizedTensor{*std::move(data), *std::move(scale), *std::move(zero_point), axis};
}

GRAFT_INLINE bool raise_scales(Node& dequantize, float least) {
  std::optional<QuantizedTensor> tensor = quantized_constant(dequantize);
  if (!tensor || !is_integer(tensor->data.dtype()) || bits(tensor->data.dtype()) != 8) return false;
  std::vector<float> scales = tensor->scale.to<float>();
  const auto is_small = [=](float scale) { return scale > 0 && scale < least; };
  if (std::none_of(scales.begin(), scales.end(), is_small)) return false;
  std::vector<std::int32_t> integers = tensor->data.to<std::int32_t>();
  const std::vector<std::int32_t> zero_points = tensor->zero_point.to<std::int32_t>();
  const detail::Rows rows(tensor->data.dims(), tensor->axis);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const std::size_t channel = i / rows.length % rows.channels;
    if (!is_small(scales[channel])) continue;
    const double element = double{scales[channel]} * (integers[i] - zero_points[channel]);
    integers[i] = zero_points[channel] + static_cast<std::int32_t>(detail::round_half_even(element / double{least}));
  }
  for (float& scale : scales)
    if (is_small(scale)) scale = least;
  Graph& graph = dequantize.graph();
  const auto replace = [&](std::size_t input, Tensor by) {
    Value* const old = dequantize.input(input);
    detail::rewire(dequantize, input, graph.add_initializer(std::move(by), old->name()));
    detail::drop_unused(old);
  };
  replace(0, Tensor::of(tensor->data.dtype(), tensor->data.dims(), integers));
  replace(1, Tensor::of<float>(tensor->scale.dims(), scales));
  return true;
}

}  // namespace graft::inline v1
