#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>

// Products with a weight, and the axis of the weight's channels.

namespace graft::inline v1::qonnx::detail {

inline bool is_channel_product(const Node& node) {
  return node.output_count() == 1 && (node.is("Conv") || node.is("MatMul") || node.is("Gemm"));
}

/// The axis of a product's weight that has the output channels. Precondition: the weight can be read.
inline std::size_t weight_output_axis(const Node& product) {
  if (product.is("Conv")) return 0;
  const bool is_transposed = product.is("Gemm") && product.attr<std::int64_t>("transB").value_or(0) != 0;
  return is_transposed ? 0 : contents_of(*product.input(1))->rank() - 1;
}

/// The number of output channels; nullopt if the weight cannot be read.
inline std::optional<std::int64_t> output_channels(const Node& product) {
  const std::optional<Tensor> weight = contents_of(*product.input(1));
  if (!weight || weight->rank() == 0) return std::nullopt;
  return weight->dims()[weight_output_axis(product)];
}

inline std::int64_t groups_of(const Node& conv) { return conv.attr<std::int64_t>("group").value_or(1); }

}  // namespace graft::inline v1::qonnx::detail
