#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>

namespace graft::inline v1::qonnx::detail {

/// From [n, rows, columns] to [n, columns, rows], in blocks that fit in the cache.
inline Tensor swap_last_two(const Tensor& x, std::int64_t n, std::int64_t rows, std::int64_t columns, Dims dims) {
  constexpr std::int64_t block = 32;
  Tensor y = unfilled(dims);
  const float* from = x.data<float>().data();
  float* to = y.mutable_data<float>().data();
  for (std::int64_t i = 0; i < n; ++i, from += rows * columns, to += rows * columns)
    for (std::int64_t r = 0; r < rows; r += block)
      for (std::int64_t c = 0; c < columns; c += block)
        for (std::int64_t row = r; row < std::min(r + block, rows); ++row)
          for (std::int64_t column = c; column < std::min(c + block, columns); ++column)
            to[column * rows + row] = from[row * columns + column];
  return y;
}

/// From [N, spatial..., C] to [N, C, spatial...]. Throws Error for an input without channels, and for one that is not
/// f32.
inline Tensor channels_to_front(const Tensor& x) {
  if (x.dtype() != DType::f32 || x.rank() < 2) throw Error("an input is not an f32 tensor of two axes or more");
  Dims dims = x.dims();
  std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  const std::int64_t channels = dims[1];
  const std::int64_t image = x.size() == 0 ? 0 : x.size() / dims[0] / channels;
  return swap_last_two(x, dims[0], image, channels, dims);
}

/// From [N, C, spatial...] to [N, spatial..., C].
inline Tensor channels_to_back(const Tensor& x) {
  Dims dims = x.dims();
  const std::int64_t channels = dims[1];
  std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  const std::int64_t image = x.size() == 0 ? 0 : x.size() / dims[0] / channels;
  return swap_last_two(x, dims[0], channels, image, dims);
}

}  // namespace graft::inline v1::qonnx::detail
