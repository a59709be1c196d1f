#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// A weight whose elements are rounded down or up, with its scales, and the bias beside it.
struct SoftWeight {
  const Value* weight = nullptr;  ///< dequantized, or the codes of a MatMulNBits
  const Value* bias = nullptr;    ///< nullptr: it stays as it is
  Dims dims{};                 ///< of the dequantized weight, as a MatMul, Gemm or Conv reads it
  std::vector<float> lower{};  ///< the lower integer of each element, without its zero point
  /// Where an element is between the lower integer (0) and the next one (1). It is rounded up from 0.5.
  std::vector<float> share{};
  std::vector<float> scales{};            ///< may be negative
  std::vector<std::uint32_t> scale_of{};  ///< the index of each element's scale
  std::vector<float> biases{};

  float scale(std::size_t i) const { return scales[scale_of[i]]; }
  float code(std::size_t i) const { return lower[i] + (share[i] >= 0.5F ? 1.0F : 0.0F); }
  /// The rounded weight.
  Tensor rounded() const {
    std::vector<float> values(lower.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = code(i) * scale(i);
    return Tensor::of<float>(dims, values);
  }
};

}  // namespace graft::inline v1::detail
