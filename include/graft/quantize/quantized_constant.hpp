#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/graph.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantize_tensor.hpp>

namespace graft::inline v1 {

/// A quantized tensor in a graph, which several DequantizeLinear may read.
struct QuantizedConstant {
  Value* data = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;  ///< nullptr: 0
  std::optional<std::size_t> axis;
};

inline QuantizedConstant add_quantized(Graph& graph, QuantizedTensor tensor, std::string_view hint) {
  const std::string name(hint);
  return {&graph.add_initializer(std::move(tensor.data), name + "_quantized"),
          &graph.add_initializer(std::move(tensor.scale), name + "_scale"),
          tensor.zero_point ? &graph.add_initializer(std::move(tensor.zero_point), name + "_zero_point") : nullptr,
          tensor.axis};
}

/// A DequantizeLinear of it before a node. Needs opset 13 where there is an axis.
inline Value& insert_dequantize(const QuantizedConstant& constant, Node& before, std::string_view hint) {
  Attributes attributes;
  if (constant.axis) attributes.emplace_back("axis", *constant.axis);
  Node& node = before.graph().insert("DequantizeLinear", {constant.data, constant.scale, constant.zero_point}, 1,
                                     attributes, &before, std::string(hint) + "_dequantized");
  before.graph().set_type(*node.output(0), tensor_type(DType::f32, constant.data->shape()));
  return *node.output(0);
}

/// What a DequantizeLinear reads, if it is constant, with one scale or one for each index of an axis; nullopt
/// otherwise.
inline std::optional<QuantizedTensor> quantized_constant(const Node& dequantize) {
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
