#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// A weight whose elements are rounded down or up, with its scales, and the bias beside it.
struct SoftWeight {
  const Value* weight = nullptr;  ///< dequantized
  const Value* bias = nullptr;    ///< nullptr: it stays as it is
  Dims dims{};
  std::vector<float> lower{};  ///< the lower integer of each element
  /// Where an element is between the lower integer (0) and the next one (1). It is rounded up from 0.5.
  std::vector<float> share{};
  std::vector<float> scales{};  ///< one for each channel, or one for all
  std::size_t inner = 1;        ///< number of consecutive elements of one channel
  std::vector<float> biases{};

  std::size_t channel_of(std::size_t i) const { return i / inner % scales.size(); }
  float code(std::size_t i) const { return lower[i] + (share[i] >= 0.5F ? 1.0F : 0.0F); }
  /// The rounded weight.
  Tensor rounded() const {
    std::vector<float> values(lower.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = code(i) * scales[channel_of(i)];
    return Tensor::of<float>(dims, values);
  }
};

}  // namespace graft::inline v1::detail
