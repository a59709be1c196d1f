#pragma once
#include <cstring>
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/gather.hpp>

namespace graft::inline v1::standard_kernels::detail {

inline std::string_view scatter_reduction(const KernelContext& ctx) {
  return choice(ctx, "reduction", {"none", "add", "mul", "max", "min"}, "none");
}

/// Combines an update with the present element; nullptr if the update replaces it.
inline BinaryLoop reduction_loop(std::string_view reduction, DType dtype) {
  if (reduction == "none") return nullptr;
  if (reduction == "add") return arithmetic_loop<Add>(dtype);
  if (reduction == "mul") return arithmetic_loop<Mul>(dtype);
  if (reduction == "max") return arithmetic_loop<Max>(dtype);
  return arithmetic_loop<Min>(dtype);
}

/// x with the updates, runs of `count` elements, written at the offsets or combined with the present elements.
inline Tensor scatter_runs(Tensor x, Tensor updates, const Ints& places, std::int64_t count,
                           std::string_view reduction) {
  const DType dtype = x.dtype();
  if (updates.dtype() != dtype || updates.size() != to_int(places.size()) * count)
    throw failure({"updates ", updates, " for ", places.size(), " places in ", x});
  const bool combines = reduction != "none";
  if (combines) {
    x = cast(std::move(x), computed_in(dtype));
    updates = cast(std::move(updates), computed_in(dtype));
  }
  const BinaryLoop loop = reduction_loop(reduction, x.dtype());
  const std::size_t chunk = to_size(count) * element_size(x);
  const std::byte* from = updates.bytes().data();
  std::byte* const y = x.mutable_bytes().data();
  if (chunk == 0) return cast(std::move(x), dtype);
  for (const std::int64_t place : places) {
    std::byte* const to = y + to_size(place) * chunk;
    if (loop == nullptr) {
      std::memcpy(to, from, chunk);
    } else {
      constexpr char stateless = 0;
      loop({to, from, to, 1, 1, count}, &stateless);
    }
    from += chunk;
  }
  return cast(std::move(x), dtype);
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void scatter_elements(KernelContext& ctx) {
  const Tensor& indices = ctx.input(1);
  const Dims& dims = ctx.input(0).dims();
  if (ctx.input(2).dims() != indices.dims()) throw detail::failure({"updates ", ctx.input(2), " for ", indices});
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), dims.size());
  const Ints places = detail::element_places(dims, axis, indices);
  ctx.set_output(0, detail::scatter_runs(ctx.take_input(0), ctx.take_input(2), places, 1,
                                         detail::scatter_reduction(ctx)));
}

inline void scatter_nd(KernelContext& ctx) {
  const detail::RunPlaces runs(ctx.input(0).dims(), ctx.input(1), 0);
  ctx.set_output(0, detail::scatter_runs(ctx.take_input(0), ctx.take_input(2), runs.places, runs.count,
                                         detail::scatter_reduction(ctx)));
}

/// Writes the update to the cache along the axis, from the index of each batch on; a circular cache wraps.
inline void tensor_scatter(KernelContext& ctx) {
  const Tensor& cache = ctx.input(0);
  const Tensor& update = ctx.input(1);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), cache.rank());
  Dims expected = cache.dims();
  if (update.rank() == cache.rank()) expected[axis] = update.dims()[axis];
  if (axis == 0 || update.dims() != expected || expected[axis] > cache.dims()[axis])
    throw detail::failure({"an update of ", update, " for a cache of ", cache});
  const detail::AxisView view(cache.dims(), axis);
  const std::int64_t batch = cache.dims()[0];
  const Ints first = ctx.has_input(2) ? ctx.input(2).to<std::int64_t>() : Ints(detail::to_size(batch), 0);
  if (detail::to_int(first.size()) != batch) throw detail::failure({first.size(), " write indices for ", cache});
  const bool circular = detail::choice(ctx, "mode", {"linear", "circular"}) == "circular";
  Ints places;
  for (std::int64_t row = 0; row < view.outer; ++row) {
    for (std::int64_t i = 0; i < expected[axis]; ++i) {
      const std::int64_t start = first[detail::to_size(row / (view.outer / batch))];
      const std::int64_t at = detail::normalized_index(start, view.extent) + i;
      places.push_back(row * view.extent + detail::normalized_index(circular ? at % view.extent : at, view.extent));
    }
  }
  ctx.set_output(0, detail::scatter_runs(ctx.take_input(0), ctx.take_input(1), places, view.inner, "none"));
}

inline void add_scatter(Kernels& kernels) {
  kernels.add("Scatter", {9, 10}, scatter_elements)
      .add("ScatterElements", scatter_elements)
      .add("ScatterND", scatter_nd)
      .add("TensorScatter", tensor_scatter);
}

}  // namespace graft::inline v1::standard_kernels
