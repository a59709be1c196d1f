#pragma once
#include <graft/evaluate/permuted.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/graph/dims.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Tensor permuted(const Tensor& x, const std::vector<std::size_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return x;
  const Dims strides = standard_kernels::detail::contiguous_strides(x.dims());
  Dims dims, from;
  for (const std::size_t axis : order) {
    dims.push_back(x.dims()[axis]);
    from.push_back(strides[axis]);
  }
  return standard_kernels::detail::gather_strided(x, dims, 0, from);
}

}  // namespace graft::inline v1
