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

/// What a DequantizeLinear makes floats of.
struct DequantizedIntegers {
  Value* x = nullptr;              ///< what is quantized; nullptr: the integers are constant
  std::optional<Tensor> constant;  ///< as they are behind a Clip
  DType dtype = DType::u8;
  std::int64_t lowest = 0, highest = 0;  ///< of the dtype, or what a Clip leaves of it

  std::vector<float> scales;  ///< one, or one for each index of the axis
  std::vector<std::int64_t> zero_points;
  std::optional<std::int64_t> axis;  ///< of x, negative from the last one

  /// float32 that broadcasts to x: one number if all are equal.
  Tensor scale() const;
  Tensor zero_point() const;
};

/// nullopt, and why, if it is nothing that a Quant expresses.
std::optional<DequantizedIntegers> dequantized_integers(const Node& dequantize, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/dequantized_integers.ipp>
#endif
