#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

/// An operator that takes activations whose scales are found as it runs, beside integer weights.
struct DynamicKernel {
  std::string_view op;             ///< "MatMulInteger", "domain::Op"
  std::span<const DType> weights;  ///< one of these
  constexpr bool takes(DType weight) const {
    return std::find(weights.begin(), weights.end(), weight) != weights.end();
  }
};

/// An operator that takes activations in float, beside weights with a scale for each block.
struct BlockKernel {
  std::string_view op;        ///< "DequantizeLinear": the runtime fuses it with the product behind
  std::span<const int> bits;  ///< of a weight
  /// Elements that share a scale, a power of two.
  std::int64_t min_block = 16, max_block = 256;
  bool is_plain = false;  ///< blocks have no zero points, and all one size
  constexpr bool takes(int width, std::int64_t block) const {
    return std::find(bits.begin(), bits.end(), width) != bits.end() && min_block <= block && block <= max_block;
  }
};

}  // namespace graft::inline v1
