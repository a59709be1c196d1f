#pragma once
#include <cstddef>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The axis of a weight of that rank along which its output channels lie: Conv [M, C/group, ...] 0; ConvTranspose [C,
/// M/group, ...] 1; Gemm's B [K, N] 1, transposed 0; MatMul's [K, N] 1. nullopt for other operators and where there is
/// no such axis: kernels of batched products take one scale.
std::optional<std::size_t> channel_axis(const Node& node, std::size_t rank);

/// Whether it is a convolution, each of whose outputs is made of one input channel and each of these makes one output.
/// Its weight is [C, 1, ...].
bool is_depthwise(const Node& node);

/// What a kernel multiplies the sum of product and bias by: alpha of a Gemm, whose bias is in steps of it.
inline float product_factor(const Node& node) {
  return node.is("Gemm") ? node.attr<float>("alpha").value_or(1) : 1;
}

}  // namespace graft::inline v1
