#pragma once
#include <cstddef>
#include <utility>

#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/slice.hpp>

namespace graft::inline v1::standard_kernels::backward {

inline void slice(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const detail::StridedPart part = detail::read_slice(ctx);
  const Tensor& g = detail::gradient_of(ctx, part.dims);
  Tensor gradient(DType::f32, ctx.input(0).dims());
  if (g.size() > 0) {
    detail::copy_strided(sizeof(float), part.dims,
                         reinterpret_cast<std::byte*>(gradient.mutable_data<float>().data() + part.first), part.strides,
                         g.bytes().data(), detail::contiguous_strides(part.dims));
  }
  ctx.set_gradient(0, std::move(gradient));
}

inline void add_slice(BackwardKernels& kernels) { kernels.add("Slice", slice); }

}  // namespace graft::inline v1::standard_kernels::backward
