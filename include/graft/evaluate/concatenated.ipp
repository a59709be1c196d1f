#pragma once
#include <graft/evaluate/concatenated.hpp>

#include <cstdint>
#include <cstring>

#include <graft/config.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
#include <graft/graph/dims.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Tensor concatenated(std::span<const Tensor> parts, std::size_t axis) {
  using namespace standard_kernels::detail;
  const Tensor& first = parts.front();
  Dims dims = first.dims();
  dims[axis] = 0;
  for (const Tensor& x : parts) {
    Dims expected = first.dims();
    if (x.rank() == first.rank()) expected[axis] = x.dims()[axis];
    if (x.dtype() != first.dtype() || x.dims() != expected) throw failure({"inputs ", first, " and ", x});
    dims[axis] = checked_sum(dims[axis], x.dims()[axis]);
  }
  Tensor y = unfilled(first.dtype(), dims);
  const AxisView view(dims, axis);
  const std::size_t unit = to_size(view.inner) * element_size(y);
  std::byte* to = y.mutable_bytes().data();
  for (const Tensor& x : parts) {
    const std::size_t chunk = to_size(x.dims()[axis]) * unit;
    if (chunk == 0) continue;
    for (std::int64_t i = 0; i < view.outer; ++i)
      std::memcpy(to + to_size(i * view.extent) * unit, x.bytes().data() + to_size(i) * chunk, chunk);
    to += chunk;
  }
  return y;
}

}  // namespace graft::inline v1
