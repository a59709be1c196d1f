#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <graft/evaluate/backward_kernels.hpp>
#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/kernels/gather.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The inverse of take_slices() for gradients: adds the slices of g to those of a new tensor of `dims` at the indices.
inline Tensor add_slices(const Tensor& g, const Dims& dims, std::size_t axis, const Ints& indices) {
  const AxisView view(dims, axis);
  const Ints places = normalized_indices(indices, view.extent);
  if (g.size() != view.outer * to_int(places.size()) * view.inner)
    throw failure({"a gradient of ", g, " for ", places.size(), " slices of ", dims});
  Tensor sums(DType::f32, dims);
  const float* from = g.data<float>().data();
  float* to = sums.mutable_data<float>().data();
  for (std::int64_t i = 0; i < view.outer; ++i, to += view.extent * view.inner) {
    for (const std::int64_t place : places) {
      Array<float>(to + place * view.inner, view.inner) += ConstArray<float>(from, view.inner);
      from += view.inner;
    }
  }
  return sums;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels::backward {

inline void gather(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const Dims& dims = ctx.input(0).dims();
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), dims.size());
  ctx.set_gradient(0, detail::add_slices(ctx.output_gradient(), dims, axis, ctx.input(1).to<std::int64_t>()));
}

inline void add_gather(BackwardKernels& kernels) { kernels.add("Gather", gather); }

}  // namespace graft::inline v1::standard_kernels::backward
