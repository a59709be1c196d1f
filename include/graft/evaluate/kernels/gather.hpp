#pragma once
#include <cstring>
#include <utility>

#include <graft/evaluate/detail/axes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels.hpp>

namespace graft::inline v1::kernels::detail {

/// An index in [-extent, extent) as one in [0, extent). Throws Error if it lies outside.
inline std::int64_t normalized_index(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) throw failure({"index ", index, " is outside ", extent});
  return index < 0 ? index + extent : index;
}

/// The slices of x along an axis at the indices, whose dims take the place of the axis.
inline Tensor take_slices(const Tensor& x, std::size_t axis, const Ints& indices, const Dims& index_dims) {
  Dims dims = x.dims();
  const AxisView view(dims, axis);
  const auto place = dims.begin() + static_cast<std::ptrdiff_t>(axis);
  dims.insert(dims.erase(place), index_dims.begin(), index_dims.end());
  Tensor y(x.dtype(), dims);
  const std::size_t chunk = to_size(view.inner) * element_size(x);
  const std::byte* from = x.bytes().data();
  std::byte* to = y.mutable_bytes().data();
  if (chunk == 0) return y;
  for (std::int64_t i = 0; i < view.outer; ++i, from += to_size(view.extent) * chunk) {
    for (const std::int64_t index : indices) {
      std::memcpy(to, from + to_size(normalized_index(index, view.extent)) * chunk, chunk);
      to += chunk;
    }
  }
  return y;
}

}  // namespace graft::inline v1::kernels::detail

namespace graft::inline v1::kernels {

inline void gather(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), x.rank());
  ctx.set_output(0, detail::take_slices(x, axis, indices.to<std::int64_t>(), indices.dims()));
}

/// y[..., i, ...] = x[..., indices[..., i, ...], ...], where only the axis is looked up.
inline void gather_elements(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), x.rank());
  if (indices.rank() != x.rank()) throw detail::failure({"indices of ", indices.dims(), " into ", x.dims()});
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (i != axis && indices.dims()[i] > x.dims()[i])
      throw detail::failure({"indices of ", indices.dims(), " into ", x.dims()});
  }
  Tensor y(x.dtype(), indices.dims());
  const Ints index = indices.to<std::int64_t>();
  const Dims own = detail::contiguous_strides(x.dims());
  Dims others = own;
  others[axis] = 0;
  const std::size_t size = detail::element_size(x);
  const std::byte* from = x.bytes().data();
  std::byte* to = y.mutable_bytes().data();
  const detail::StridedLoop<2> loop(indices.dims(), {detail::contiguous_strides(indices.dims()), others});
  const auto step = loop.inner();
  loop.each_run([&](const auto& offset, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = offset[0] + i * step[0];
      const std::int64_t along = detail::normalized_index(index[detail::to_size(at)], x.dims()[axis]) * own[axis];
      std::memcpy(to + detail::to_size(at) * size, from + detail::to_size(offset[1] + i * step[1] + along) * size,
                  size);
    }
  });
  ctx.set_output(0, std::move(y));
}

/// The last axis of the indices holds places in the axes of x behind the batch_dims that both share.
inline void gather_nd(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::size_t batch = detail::to_size(ctx.attr_or<std::int64_t>("batch_dims", 0));
  const std::size_t depth = indices.rank() == 0 ? 0 : detail::to_size(indices.dims().back());
  if (indices.rank() <= batch || batch + depth > x.rank() ||
      !std::equal(x.dims().begin(), x.dims().begin() + static_cast<std::ptrdiff_t>(batch), indices.dims().begin())) {
    throw detail::failure({"indices of ", indices.dims(), " into ", x.dims()});
  }
  Dims dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), x.dims().begin() + static_cast<std::ptrdiff_t>(batch + depth), x.dims().end());
  Tensor y(x.dtype(), dims);
  const Ints index = indices.to<std::int64_t>();
  const std::int64_t batches = detail::extent(x.dims(), 0, batch);
  const std::int64_t lookups = detail::extent(indices.dims(), batch, indices.rank() - 1);
  const std::size_t chunk = detail::to_size(detail::extent(x.dims(), batch + depth, x.rank())) *
                            detail::element_size(x);
  const std::byte* from = x.bytes().data();
  std::byte* to = y.mutable_bytes().data();
  auto next = index.begin();
  for (std::int64_t i = 0; i < batches * lookups; ++i, to += chunk) {
    std::int64_t at = i / std::max<std::int64_t>(lookups, 1);
    for (std::size_t axis = batch; axis < batch + depth; ++axis)
      at = at * x.dims()[axis] + detail::normalized_index(*next++, x.dims()[axis]);
    std::memcpy(to, from + detail::to_size(at) * chunk, chunk);
  }
  ctx.set_output(0, std::move(y));
}

inline void add_gather(Kernels& kernels) {
  kernels.add("Gather", gather).add("GatherElements", gather_elements).add("GatherND", gather_nd);
}

}  // namespace graft::inline v1::kernels
