#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>

namespace graft::inline v1 {

/// The axis of a weight of that rank along which its output channels lie: Conv [M, C/group, ...] 0; ConvTranspose [C,
/// M/group, ...] 1; Gemm's B [K, N] 1, transposed 0; MatMul's [K, N] 1. nullopt for other operators and where there is
/// no such axis: kernels of batched products take one scale.
inline std::optional<std::size_t> channel_axis(const Node& node, std::size_t rank) {
  std::optional<std::size_t> axis;
  if (node.is("Conv")) axis = 0;
  if (node.is("ConvTranspose")) axis = 1;
  if (node.is("Gemm")) axis = node.attr<std::int64_t>("transB").value_or(0) != 0 ? 0 : 1;
  if (node.is("MatMul") && rank == 2) axis = 1;
  return axis && *axis < rank ? axis : std::nullopt;
}

/// Whether it is a convolution, each of whose outputs is made of one input channel and each of these makes one output.
/// Its weight is [C, 1, ...].
inline bool is_depthwise(const Node& node) {
  const Shape weight = node.is("Conv") && node.input(1) != nullptr ? node.input(1)->shape() : Shape();
  const auto is = [&](std::size_t axis, std::int64_t extent) {
    return weight[axis].known() && weight[axis].value() == extent;
  };
  return weight.rank() > 2 && is(1, 1) && is(0, node.attr<std::int64_t>("group").value_or(1));
}

/// What a kernel multiplies the sum of product and bias by: alpha of a Gemm, whose bias is in steps of it.
inline float product_factor(const Node& node) {
  return node.is("Gemm") ? node.attr<float>("alpha").value_or(1) : 1;
}

}  // namespace graft::inline v1
