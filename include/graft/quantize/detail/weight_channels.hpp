#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// Whether each output channel is a sum over input channels, which are axis 1: Conv, and Gemm with its channels in
/// columns.
inline bool has_channel_response(const Node& node) {
  return node.is("Conv") || (node.is("Gemm") && node.attr<std::int64_t>("transA").value_or(0) == 0);
}

/// Which input and output channel each element of the weight of a Conv or Gemm joins.
class WeightChannels {
 public:
  /// nullopt if the weight is not float32, or has no such dims.
  static std::optional<WeightChannels> of(const Node& node, const Tensor& weight) {
    const Dims& dims = weight.dims();
    if (!has_channel_response(node) || weight.dtype() != DType::f32 || weight.size() == 0) return std::nullopt;
    if (node.is("Gemm") ? dims.size() != 2 : dims.size() < 3) return std::nullopt;
    WeightChannels channels;
    channels.outputs_first_ = node.is("Conv") || node.attr<std::int64_t>("transB").value_or(0) != 0;
    channels.second_ = static_cast<std::size_t>(dims[1]);
    const auto first = static_cast<std::size_t>(dims[0]);
    channels.positions_ = static_cast<std::size_t>(weight.size()) / first / channels.second_;
    const std::int64_t groups = node.is("Conv") ? node.attr<std::int64_t>("group").value_or(1) : 1;
    if (groups < 1 || dims[0] % groups != 0) return std::nullopt;
    channels.outputs_ = channels.outputs_first_ ? first : channels.second_;
    channels.inputs_ = (channels.outputs_first_ ? channels.second_ : first) * static_cast<std::size_t>(groups);
    channels.outputs_of_group_ = channels.outputs_ / static_cast<std::size_t>(groups);
    return channels;
  }

  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t output(std::size_t element) const {
    const std::size_t place = element / positions_;
    return outputs_first_ ? place / second_ : place % second_;
  }
  std::size_t input(std::size_t element) const {
    const std::size_t place = element / positions_;
    return outputs_first_ ? place / second_ / outputs_of_group_ * second_ + place % second_ : place / second_;
  }

 private:
  bool outputs_first_ = true;
  std::size_t second_ = 1, positions_ = 1, outputs_ = 0, inputs_ = 0, outputs_of_group_ = 1;
};

}  // namespace graft::inline v1::detail
