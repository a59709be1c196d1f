#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Keys or values in integers, as com.microsoft's GroupQueryAttention stores them: int8, or two of 4 bits in a byte,
/// the even one low, each 8 above its value. q = saturate(round_half_even(x * (1 / scale))), as ONNX Runtime computes
/// it (onnxruntime/core/mlas/lib/qkv_quant.cpp); a scale of 0 counts as 1, and NaN becomes the highest code.
struct CacheCodes {
  int bits = 8;
  std::vector<float> scales{};  // one, or one for each feature of each group

  /// [batch, groups, steps, size] in float32 as [batch, groups, steps, bytes].
  Tensor encoded(const Tensor& x) const {
    const std::size_t size = size_of(x.dims()), bytes = bits == 4 ? (size + 1) / 2 : size;
    Dims dims = x.dims();
    dims.back() = static_cast<std::int64_t>(bytes);
    Tensor y(bits == 4 ? DType::u8 : DType::i8, dims);
    const std::span<const float> from = x.data<float>();
    const std::span<std::byte> to = y.mutable_bytes();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t row = i / size, column = i % size;
      const float scale = scale_of(x.dims(), row, column), lowest = bits == 4 ? -8 : -128, highest = -lowest - 1;
      const float steps = std::nearbyint(from[i] * (scale == 0 ? 1 : 1 / scale));
      const int code = static_cast<int>(std::max(lowest, std::min(highest, steps)));  // in this order, for NaN
      if (bits == 8) to[i] = static_cast<std::byte>(code);
      else to[row * bytes + column / 2] |= static_cast<std::byte>((code + 8) << (column % 2 * 4));
    }
    return y;
  }

  /// The inverse, for heads of this size.
  Tensor decoded(const Tensor& codes, std::int64_t head_size) const {
    Dims dims = codes.dims();
    dims.back() = head_size;
    Tensor x = unfilled(DType::f32, dims);
    const std::span<float> to = x.mutable_data<float>();
    const std::span<const std::byte> from = codes.bytes();
    const std::size_t size = size_of(dims), bytes = size_of(codes.dims());
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::size_t row = i / size, column = i % size;
      const int byte = std::to_integer<int>(from[row * bytes + (bits == 4 ? column / 2 : column)]);
      const int code = bits == 4 ? (byte >> (column % 2 * 4) & 15) - 8 : static_cast<std::int8_t>(byte);
      to[i] = static_cast<float>(code) * scale_of(dims, row, column);
    }
    return x;
  }

 private:
  static std::size_t size_of(const Dims& dims) { return static_cast<std::size_t>(dims.back()); }
  float scale_of(const Dims& dims, std::size_t row, std::size_t column) const {
    if (scales.size() == 1) return scales.front();
    const std::size_t group = row / static_cast<std::size_t>(dims[2]) % static_cast<std::size_t>(dims[1]);
    return scales[group * size_of(dims) + column];
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
