#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// Operators that only move elements of their first input.
inline constexpr std::array<std::string_view, 10> movements{"Reshape", "Flatten", "Squeeze",   "Unsqueeze", "Slice",
                                                            "Gather",  "Expand",  "Transpose", "Identity",  "Tile"};

/// Whether a node is a Pad by 0.
inline bool pads_by_0(const Node& node) {
  if (!node.is("Pad") || node.attr<std::string>("mode").value_or("constant") != "constant") return false;
  if (node.attribute("value") != nullptr) return node.attr<float>("value") == 0.0F;
  if (node.input(2) == nullptr) return true;
  const std::optional<Tensor> value = node.input(2)->constant();
  return value && value->size() == 1 && value->item<double>() == 0;
}

}  // namespace graft::inline v1::qonnx::detail
