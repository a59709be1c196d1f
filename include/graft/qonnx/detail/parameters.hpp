#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// A parameter of a quantizer in float32; exporters write zero points and bit widths as integers too. nullopt for other
/// dtypes.
inline std::optional<Tensor> float_parameter(Tensor parameter) {
  if (parameter.dtype() == DType::f32) return parameter;
  if (!is_integer(parameter.dtype())) return std::nullopt;
  return Tensor::of<double>(DType::f32, parameter.dims(), parameter.to<double>());
}

/// Integers that are an attribute in older opsets, and an input in newer ones; nullopt if they are absent or not
/// constant.
inline std::optional<Ints> given_integers(const Node& node, std::string_view attribute, std::size_t input) {
  if (node.attribute(attribute) != nullptr) return node.attr<Ints>(attribute);
  const std::optional<Tensor> given = node.input(input) != nullptr ? node.input(input)->constant() : std::nullopt;
  return given && is_integer(given->dtype()) ? std::optional(given->to<std::int64_t>()) : std::nullopt;
}

}  // namespace graft::inline v1::qonnx::detail
