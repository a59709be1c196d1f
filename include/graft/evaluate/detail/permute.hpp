#pragma once
#include <algorithm>
#include <vector>

#include <graft/evaluate/detail/copy.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The tensor with its axes in another order: axis i of the result is axis order[i] of x.
inline Tensor permuted(const Tensor& x, const std::vector<std::size_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return x;
  const Dims strides = contiguous_strides(x.dims());
  Dims dims, from;
  for (const std::size_t axis : order) {
    dims.push_back(x.dims()[axis]);
    from.push_back(strides[axis]);
  }
  return gather_strided(x, dims, 0, from);
}

}  // namespace graft::inline v1::standard_kernels::detail
