#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/evaluate/concatenated.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/concat.hpp>

/// The gradients of Concat and Split.
namespace graft::inline v1::standard_kernels::backward {

inline void concat(BackwardContext& ctx) {
  Dims joined = ctx.input(0).dims();
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), joined.size());
  for (std::size_t i = 1; i < ctx.input_count(); ++i) joined[axis] += ctx.input(i).dims().at(axis);
  const Tensor& g = detail::gradient_of(ctx, joined);
  const Dims strides = detail::contiguous_strides(g.dims());
  std::int64_t start = 0;
  for (std::size_t i = 0; i < ctx.input_count(); ++i) {
    const Dims& dims = ctx.input(i).dims();
    joined[axis] = dims[axis];
    if (dims != joined) throw detail::failure({"inputs ", ctx.input(0), " and ", ctx.input(i)});
    if (ctx.needs(i)) ctx.set_gradient(i, detail::gather_strided(g, dims, start * strides[axis], strides));
    start += dims[axis];
  }
}

inline void split(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  Dims dims = ctx.input(0).dims();
  const std::size_t axis = detail::normalized_axis(ctx.attr_or<std::int64_t>("axis", 0), dims.size());
  std::vector<Tensor> parts;
  for (const std::int64_t extent : split_extents(ctx, dims[axis])) {
    const Tensor* const g = ctx.output_gradient(parts.size());
    dims[axis] = extent;
    if (g != nullptr && g->dims() != dims) throw detail::failure({"a gradient of ", *g, " for a part of ", dims});
    parts.push_back(g != nullptr ? *g : Tensor(DType::f32, dims));
  }
  ctx.set_gradient(0, concatenated(parts, axis));
}

inline void add_concat(BackwardKernels& kernels) { kernels.add("Concat", {4}, concat).add("Split", {2}, split); }

}  // namespace graft::inline v1::standard_kernels::backward
