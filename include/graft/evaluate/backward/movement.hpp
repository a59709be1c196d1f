#pragma once
#include <cstddef>
#include <vector>

#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/movement.hpp>
#include <graft/evaluate/permuted.hpp>

/// The gradients of Transpose, Expand, Tile, DepthToSpace, SpaceToDepth.
namespace graft::inline v1::standard_kernels::backward {

inline void transpose(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const std::vector<std::size_t> order = detail::read_order(ctx, ctx.output_gradient().rank());
  std::vector<std::size_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = i;
  ctx.set_gradient(0, permuted(ctx.output_gradient(), inverse));
}

inline void expand(BackwardContext& ctx) {
  if (ctx.needs(0)) ctx.set_gradient(0, detail::sum_to(ctx.output_gradient(), ctx.input(0).dims()));
}

inline void tile(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const Dims& dims = ctx.input(0).dims();
  const detail::Repeats repeats(dims, ctx.input(1).to<std::int64_t>());
  ctx.set_gradient(0, detail::sum_strided(ctx.output_gradient(), repeats.split, repeats.strides, dims));
}

inline void depth_to_space(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const auto block = ctx.attr<std::int64_t>("blocksize");
  ctx.set_gradient(0, detail::space_to_depth(ctx.output_gradient(), block, detail::reads_channels_first(ctx)));
}

inline void space_to_depth(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const auto block = ctx.attr<std::int64_t>("blocksize");
  ctx.set_gradient(0, detail::depth_to_space(ctx.output_gradient(), block, false));
}

inline void add_movement(BackwardKernels& kernels) {
  kernels.add("Transpose", transpose)
      .add("Expand", expand)
      .add("Tile", {6}, tile)
      .add("DepthToSpace", depth_to_space)
      .add("SpaceToDepth", space_to_depth);
}

}  // namespace graft::inline v1::standard_kernels::backward
