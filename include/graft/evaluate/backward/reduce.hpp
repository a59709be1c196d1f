#pragma once
#include <utility>

#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/reduce.hpp>

/// The gradients of ReduceSum and ReduceMean.
namespace graft::inline v1::standard_kernels::backward {

template <bool Mean>
void reduce(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const Dims& dims = ctx.input(0).dims();
  const detail::Reduction reduction(dims, detail::read_reduced(ctx), true);
  Tensor g = ctx.output_gradient().reshaped(reduction.dims);
  if (Mean) g = detail::times(std::move(g), 1 / static_cast<double>(reduction.width));
  ctx.set_gradient(0, detail::broadcast_to(g, dims));
}

inline void add_reduce(BackwardKernels& kernels) {
  kernels.add("ReduceSum", reduce<false>).add("ReduceMean", reduce<true>);
}

}  // namespace graft::inline v1::standard_kernels::backward
