#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/graph/tensor.hpp>

// Operands of recurrent operators that go in both directions.

/// (7 i mod 13 - 6) / 16: numbers that another program makes as easily.
inline graft::Tensor scattered(graft::Dims dims) {
  graft::Tensor tensor(graft::DType::f32, std::move(dims));
  int i = 0;
  for (float& value : tensor.mutable_data<float>()) value = static_cast<float>(7 * i++ % 13 - 6) / 16;
  return tensor;
}

/// The slices along the first axis, of which there are two, in the other order.
inline graft::Tensor swapped(const graft::Tensor& tensor) {
  std::vector<float> values = tensor.to<float>();
  std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return graft::Tensor::of(tensor.dims(), values);
}

inline graft::Tensor first_half(const graft::Tensor& tensor) {
  graft::Dims dims = tensor.dims();
  dims[0] = 1;
  return graft::Tensor::of(dims, tensor.data<float>().first(static_cast<std::size_t>(tensor.size() / 2)));
}
