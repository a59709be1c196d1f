#pragma once
#include <graft/config.hpp>
#include <graft/graph/memory.hpp>
#include <graft/testing/random.hpp>

#include <cstddef>
#include <vector>

namespace graft::inline v1 {

GRAFT_INLINE Tensor random_tensor(DType dtype, Dims dims, Random& random, Interval range) {
  std::vector<double> values(allocated_bytes(DType::f64, dims) / sizeof(double));
  const bool whole = is_integer(dtype) || dtype == DType::boolean;
  const auto low = static_cast<std::int64_t>(range.low), high = static_cast<std::int64_t>(range.high);
  for (double& value : values) {
    if (whole) value = static_cast<double>(random.integer(low, high));
    else value = range.low + (range.high - range.low) * random.unit();
  }
  return Tensor::of(dtype, std::move(dims), values);
}

}  // namespace graft::inline v1
