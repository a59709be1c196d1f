#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/qdq/has_result.hpp>

namespace graft::inline v1::detail {

/// Whether each output channel is a sum over input channels on axis 1: Conv, and Gemm with its channels in columns.
inline bool has_channel_response(const Node& node) {
  const bool is_gemm = node.is("Gemm") && node.attr<std::int64_t>("transA").value_or(0) == 0;
  return has_result(node) && (node.is("Conv") || is_gemm);
}

/// The channels of such a node, or of a MatMul. nullopt if the weight is not float32, or has another number of dims.
inline std::optional<WeightChannels> float_channels(const Node& node, const Tensor& weight) {
  const Dims& dims = weight.dims();
  const bool is_matmul = node.is("MatMul") && has_result(node);
  if (!(has_channel_response(node) || is_matmul) || weight.dtype() != DType::f32 || weight.size() == 0)
    return std::nullopt;
  if (node.is("Conv") ? dims.size() < 3 : dims.size() != 2) return std::nullopt;
  const std::int64_t groups = node.is("Conv") ? node.attr<std::int64_t>("group").value_or(1) : 1;
  if (groups < 1 || dims[0] % groups != 0) return std::nullopt;
  return WeightChannels(node, dims);
}

}  // namespace graft::inline v1::detail
