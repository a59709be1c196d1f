#pragma once
#include <graft/quantize/kernel/channels.hpp>

#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<std::size_t> channel_axis(const Node& node, std::size_t rank) {
  std::optional<std::size_t> axis;
  if (node.is("Conv")) axis = 0;
  if (node.is("ConvTranspose")) axis = 1;
  if (node.is("Gemm")) axis = node.attr<std::int64_t>("transB").value_or(0) != 0 ? 0 : 1;
  if (node.is("MatMul") && rank == 2) axis = 1;
  return axis && *axis < rank ? axis : std::nullopt;
}

GRAFT_INLINE bool is_depthwise(const Node& node) {
  const Shape weight = node.is("Conv") && node.input(1) != nullptr ? node.input(1)->shape() : Shape();
  const auto is = [&](std::size_t axis, std::int64_t extent) {
    return weight[axis].known() && weight[axis].value() == extent;
  };
  return weight.rank() > 2 && is(1, 1) && is(0, node.attr<std::int64_t>("group").value_or(1));
}

}  // namespace graft::inline v1
