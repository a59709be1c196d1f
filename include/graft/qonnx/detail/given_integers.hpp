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

/// Integers that older opsets have in an attribute, and newer ones in an input; nullopt if they are not constant, or
/// not there.
inline std::optional<Ints> given_integers(const Node& node, std::string_view attribute, std::size_t input) {
  if (node.attribute(attribute) != nullptr) return node.attr<Ints>(attribute);
  const std::optional<Tensor> given = node.input(input) != nullptr ? node.input(input)->constant() : std::nullopt;
  return given && is_integer(given->dtype()) ? std::optional(given->to<std::int64_t>()) : std::nullopt;
}

}  // namespace graft::inline v1::qonnx::detail
