#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// The integers that a DequantizeLinear reads, and their meaning.
struct DequantizedIntegers {
  Value* x = nullptr;              ///< the quantized float; nullptr: the integers are constant
  std::optional<Tensor> constant;  ///< the integers after the Clip
  DType dtype = DType::u8;
  std::int64_t lowest = 0, highest = 0;  ///< the range of the dtype, or that of a Clip

  std::vector<float> scales;  ///< one, or one for each index of the axis
  std::vector<std::int64_t> zero_points;
  std::optional<std::int64_t> axis;  ///< of x, negative: counted from the last one

  /// The same as float32 that broadcasts to x: one number if all are equal.
  Tensor scale() const;
  Tensor zero_point() const;
};

/// nullopt, and the reason, if Quant cannot express it.
std::optional<DequantizedIntegers> dequantized_integers(const Node& dequantize, std::string& why);

}  // namespace graft::inline v1::qonnx::detail
