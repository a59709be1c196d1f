#pragma once
#include <cstring>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels {

/// Adds an axis of extent depth with values[1] at the index and values[0] elsewhere. Negative indices count from the
/// end (opset 11). Indices outside of the depth give only values[0].
inline void one_hot(KernelContext& ctx) {
  const Tensor& indices = ctx.input(0);
  const Tensor& values = ctx.input(2);
  const auto depth = ctx.input(1).item<std::int64_t>();
  if (depth < 1 || values.dims() != Dims{2}) throw detail::failure({"a depth of ", depth, " with values ", values});
  Dims dims = indices.dims();
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), dims.size() + 1);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  Tensor y = detail::gather_strided(values, dims, 0, Dims(dims.size(), 0));
  const std::size_t size = detail::element_size(values);
  const detail::AxisView view(dims, axis);
  std::byte* const to = y.mutable_bytes().data();
  std::int64_t at = -1;
  for (std::int64_t index : indices.to<std::int64_t>()) {
    ++at;
    if (index < 0 && ctx.opset() >= 11) index += depth;
    if (index < 0 || index >= depth) continue;
    const std::int64_t place = (at / view.inner * depth + index) * view.inner + at % view.inner;
    std::memcpy(to + detail::to_size(place) * size, values.bytes().data() + size, size);
  }
  ctx.set_output(0, std::move(y));
}

inline void add_one_hot(Kernels& kernels) { kernels.add("OneHot", one_hot); }

}  // namespace graft::inline v1::standard_kernels
