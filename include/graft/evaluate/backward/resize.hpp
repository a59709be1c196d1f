#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/resize.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The inverse of resample() for gradients: each element of g is added to those of its neighbours, by their weights.
inline Tensor spread(const Tensor& g, std::size_t axis, std::int64_t extent,
                     const std::vector<Neighbours>& neighbours) {
  Dims dims = g.dims();
  dims[axis] = extent;
  Tensor sums(DType::f32, dims);
  const AxisView view(dims, axis);
  const float* from = g.data<float>().data();
  float* to = sums.mutable_data<float>().data();
  for (std::int64_t outer = 0; outer < view.outer; ++outer, to += view.extent * view.inner) {
    for (const auto& [indices, weights] : neighbours) {
      for (std::size_t k = 0; k < indices.size(); ++k) {
        Array<float>(to + indices[k] * view.inner, view.inner) +=
            static_cast<float>(weights[k]) * ConstArray<float>(from, view.inner);
      }
      from += view.inner;
    }
  }
  return sums;
}

}  // namespace graft::inline v1::standard_kernels::detail

/// The gradients of Resize and Upsample.
namespace graft::inline v1::standard_kernels::backward {

template <detail::Resizing (*Read)(const KernelContext&)>
void resize(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const detail::Resizing resizing = Read(ctx);
  Dims dims;
  for (const detail::ResizedAxis& axis : resizing.axes) dims.push_back(axis.out);
  Tensor gradient = detail::gradient_of(ctx, dims);
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const detail::ResizedAxis& how = resizing.axes[axis];
    if (!how.unchanged()) gradient = detail::spread(gradient, axis, how.in, resizing.resampling.neighbours(how));
  }
  ctx.set_gradient(0, std::move(gradient));
}

inline void add_resize(BackwardKernels& kernels) {
  kernels.add("Upsample", {7}, resize<detail::read_upsample>)
      .add("Resize", {10, 10}, resize<detail::read_upsample>)
      .add("Resize", {11}, resize<detail::read_resize>);
}

}  // namespace graft::inline v1::standard_kernels::backward
