#pragma once
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/permuted.hpp>

/// Transpose, Expand, Tile, DepthToSpace, SpaceToDepth.
namespace graft::inline v1::standard_kernels {

inline void transpose(KernelContext& ctx) {
  const std::size_t rank = ctx.input(0).rank();
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (const auto perm = ctx.optional_attr<Ints>("perm")) {
    if (perm->size() != rank)
      throw detail::failure({*perm, " does not fit an input of ", ctx.input(0).dims()}).field("perm");
    std::vector<bool> seen(rank, false);
    for (std::size_t i = 0; i < rank; ++i) {
      order[i] = detail::normalized_axis((*perm)[i], rank);
      if (seen[order[i]]) throw detail::failure({*perm, " is not a permutation"}).field("perm");
      seen[order[i]] = true;
    }
  }
  ctx.set_output(0, permuted(ctx.input(0), order));
}

inline void expand(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Dims dims = detail::broadcast_dims(x.dims(), ctx.input(1).to<std::int64_t>());
  if (dims == x.dims()) return ctx.set_output(0, ctx.take_input(0));
  ctx.set_output(0, detail::gather_strided(x, dims, 0, detail::broadcast_strides(x.dims(), dims)));
}

/// Reads each axis as [repeats, extent] with a stride of 0 for the repeats.
inline void tile(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Ints repeats = ctx.input(1).to<std::int64_t>();
  if (repeats.size() != x.rank()) throw detail::failure({"repeats ", repeats, " do not fit an input of ", x.dims()});
  const Dims own = detail::contiguous_strides(x.dims());
  Dims split, strides, dims;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0) throw detail::failure({"repeats ", repeats, " are negative"});
    split.insert(split.end(), {repeats[i], x.dims()[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  element_count(split);
  for (std::size_t i = 0; i < repeats.size(); ++i) dims.push_back(repeats[i] * x.dims()[i]);
  ctx.set_output(0, detail::gather_strided(x, split, 0, strides).reshaped(std::move(dims)));
}

inline void depth_to_space(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto block = ctx.attr<std::int64_t>("blocksize");
  if (x.rank() != 4 || block < 1 || x.dims()[1] % element_count(Dims{block, block}) != 0)
    throw detail::failure({"no blocks of ", block, " in ", x});
  const std::int64_t n = x.dims()[0], c = x.dims()[1] / (block * block), h = x.dims()[2], w = x.dims()[3];
  const bool columns_first = detail::choice(ctx, "mode", {"DCR", "CRD"}, "DCR") == "CRD";
  const Tensor blocks = columns_first ? permuted(x.reshaped({n, c, block, block, h, w}), {0, 1, 4, 2, 5, 3})
                                      : permuted(x.reshaped({n, block, block, c, h, w}), {0, 3, 4, 1, 5, 2});
  ctx.set_output(0, blocks.reshaped({n, c, h * block, w * block}));
}

inline void space_to_depth(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto block = ctx.attr<std::int64_t>("blocksize");
  if (x.rank() != 4 || block < 1 || x.dims()[2] % block != 0 || x.dims()[3] % block != 0)
    throw detail::failure({"no blocks of ", block, " in ", x});
  const std::int64_t n = x.dims()[0], c = x.dims()[1], h = x.dims()[2] / block, w = x.dims()[3] / block;
  const Tensor blocks = permuted(x.reshaped({n, c, h, block, w, block}), {0, 3, 5, 1, 2, 4});
  ctx.set_output(0, blocks.reshaped({n, c * block * block, h, w}));
}

inline void add_movement(Kernels& kernels) {
  kernels.add("Transpose", transpose)
      .add("Expand", expand)
      .add("Tile", {6}, tile)
      .add("DepthToSpace", depth_to_space)
      .add("SpaceToDepth", space_to_depth);
}

}  // namespace graft::inline v1::standard_kernels
