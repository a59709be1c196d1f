#pragma once
#include <graft/quantize/kernel/channels.hpp>

#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<std::size_t> channel_axis(const Node& node, std::size_t rank) {
  const int axis = facts_of(node).weight_axis;
  if (axis < 0 || (node.is("MatMul") && rank != 2)) return std::nullopt;
  const bool is_transposed = node.is("Gemm") && node.attr<std::int64_t>("transB").value_or(0) != 0;
  const auto place = static_cast<std::size_t>(is_transposed ? 1 - axis : axis);
  return place < rank ? std::optional(place) : std::nullopt;
}

GRAFT_INLINE bool is_depthwise(const Node& node) {
  const Shape weight = node.is("Conv") && node.input(1) != nullptr ? node.input(1)->shape() : Shape();
  const auto is = [&](std::size_t axis, std::int64_t extent) {
    return weight[axis].known() && weight[axis].value() == extent;
  };
  return weight.rank() > 2 && is(1, 1) && is(0, node.attr<std::int64_t>("group").value_or(1));
}

}  // namespace graft::inline v1
