#pragma once
#include <graft/qdq/quantized_constant.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
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

}  // namespace graft::inline v1
