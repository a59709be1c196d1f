#pragma once
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Converts an index in [-extent, extent) to [0, extent). Throws Error if it is outside.
inline std::int64_t normalized_index(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) throw failure({"index ", index, " is outside ", extent});
  return index < 0 ? index + extent : index;
}

inline Ints normalized_indices(Ints indices, std::int64_t extent) {
  for (std::int64_t& index : indices) index = normalized_index(index, extent);
  return indices;
}

/// The slices of x along an axis at the indices, whose dims replace the axis.
inline Tensor take_slices(const Tensor& x, std::size_t axis, const Ints& indices, const Dims& index_dims) {
  Dims dims = x.dims();
  const AxisView view(dims, axis);
  dims.insert(dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis)), index_dims.begin(), index_dims.end());
  Tensor y(x.dtype(), dims);
  const std::size_t chunk = to_size(view.inner) * element_size(x);
  const std::byte* from = x.bytes().data();
  std::byte* to = y.mutable_bytes().data();
  const Ints places = normalized_indices(indices, view.extent);
  if (y.size() == 0) return y;
  for (std::int64_t i = 0; i < view.outer; ++i, from += to_size(view.extent) * chunk) {
    for (const std::int64_t place : places) {
      std::memcpy(to, from + to_size(place) * chunk, chunk);
      to += chunk;
    }
  }
  return y;
}

/// The element offsets of the indices within the dims, if only the axis is indexed (GatherElements-13).
inline Ints element_places(const Dims& dims, std::size_t axis, const Tensor& indices) {
  bool fits = indices.rank() == dims.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i) fits = i == axis || indices.dims()[i] <= dims[i];
  if (!fits) throw failure({"indices of ", indices.dims(), " into ", dims});
  Ints places = indices.to<std::int64_t>();
  const Dims own = contiguous_strides(dims);
  Dims others = own;
  others[axis] = 0;
  const StridedLoop<2> loop(indices.dims(), {contiguous_strides(indices.dims()), others});
  const auto step = loop.inner();
  loop.each_run([&](const auto& offset, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t& place = places[to_size(offset[0] + i * step[0])];
      place = offset[1] + i * step[1] + normalized_index(place, dims[axis]) * own[axis];
    }
  });
  return places;
}

/// The offsets of each row of the indices within the dims (GatherND-13). Each is the start of a run of `count`
/// elements, behind `batch` axes that both share.
struct RunPlaces {
  Ints places;
  std::int64_t count;

  RunPlaces(const Dims& dims, const Tensor& indices, std::size_t batch) {
    const std::size_t depth = indices.rank() == 0 ? 0 : to_size(indices.dims().back());
    if (indices.rank() <= batch || batch + depth > dims.size() ||
        !std::equal(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(batch), indices.dims().begin())) {
      throw failure({"indices of ", indices.dims(), " into ", dims});
    }
    count = extent(dims, batch + depth, dims.size());
    const Ints index = indices.to<std::int64_t>();
    const std::int64_t lookups = extent(indices.dims(), batch, indices.rank() - 1);
    // Indices without axes take no memory, whatever their number.
    allocated_bytes(DType::i64, std::span(indices.dims()).first(indices.rank() - 1));
    auto next = index.begin();
    for (std::int64_t i = 0; i < extent(indices.dims(), 0, indices.rank() - 1); ++i) {
      std::int64_t at = i / lookups;
      for (std::size_t axis = batch; axis < batch + depth; ++axis)
        at = at * dims[axis] + normalized_index(*next++, dims[axis]);
      places.push_back(at);
    }
  }
};

/// A tensor of the runs of `count` elements at the offsets in x.
inline Tensor take_runs(const Tensor& x, const Ints& places, std::int64_t count, Dims dims) {
  Tensor y(x.dtype(), std::move(dims));
  const std::size_t chunk = to_size(count) * element_size(x);
  std::byte* to = y.mutable_bytes().data();
  if (chunk == 0) return y;
  for (const std::int64_t place : places) {
    std::memcpy(to, x.bytes().data() + to_size(place) * chunk, chunk);
    to += chunk;
  }
  return y;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void gather(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), x.rank());
  ctx.set_output(0, detail::take_slices(x, axis, indices.to<std::int64_t>(), indices.dims()));
}

/// y[..., i, ...] = x[..., indices[..., i, ...], ...], where only the axis is indexed.
inline void gather_elements(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), x.rank());
  ctx.set_output(0, detail::take_runs(x, detail::element_places(x.dims(), axis, indices), 1, indices.dims()));
}

/// The last axis of the indices holds positions in the axes of x after the batch_dims that both share.
inline void gather_nd(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::size_t batch = detail::to_size(ctx.attr_or<std::int64_t>("batch_dims", 0));
  const detail::RunPlaces runs(x.dims(), indices, batch);
  Dims dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), x.dims().begin() + static_cast<std::ptrdiff_t>(batch) + indices.dims().back(),
              x.dims().end());
  ctx.set_output(0, detail::take_runs(x, runs.places, runs.count, std::move(dims)));
}

/// The slices along the axis, or without an axis the elements, for which the condition is true. The condition may be
/// shorter.
inline void compress(KernelContext& ctx) {
  Tensor x = ctx.take_input(0);
  const auto axis = ctx.optional_attr<std::int64_t>("axis");
  if (!axis) x = x.reshaped({x.size()});
  Ints chosen;
  const auto condition = ctx.input(1).data<bool>();
  for (std::size_t i = 0; i < condition.size(); ++i) {
    if (condition[i]) chosen.push_back(detail::to_int(i));
  }
  const std::int64_t count = detail::to_int(chosen.size());
  ctx.set_output(0, detail::take_slices(x, detail::normalized_axis(axis.value_or(0), x.rank()), chosen, {count}));
}

inline void add_gather(Kernels& kernels) {
  kernels.add("Gather", gather)
      .add("GatherElements", gather_elements)
      .add("GatherND", gather_nd)
      .add("Compress", compress);
}

}  // namespace graft::inline v1::standard_kernels
