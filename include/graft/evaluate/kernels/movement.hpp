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

namespace graft::inline v1::standard_kernels::detail {

/// The order of the axes that Transpose gives an input of this rank.
inline std::vector<std::size_t> read_order(const KernelContext& ctx, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (const auto perm = ctx.optional_attr<Ints>("perm")) {
    if (perm->size() != rank)
      throw failure({*perm, " does not fit an input of ", ctx.input(0).dims()}).field("perm");
    std::vector<bool> seen(rank, false);
    for (std::size_t i = 0; i < rank; ++i) {
      order[i] = normalized_axis((*perm)[i], rank);
      if (seen[order[i]]) throw failure({*perm, " is not a permutation"}).field("perm");
      seen[order[i]] = true;
    }
  }
  return order;
}

/// The repeats of Tile as a strided read: each axis is [repeats, extent] with a stride of 0 for the repeats.
struct Repeats {
  Dims split, strides, dims;

  Repeats(const Dims& from, const Ints& repeats) {
    if (repeats.size() != from.size()) throw failure({"repeats ", repeats, " do not fit an input of ", from});
    const Dims own = contiguous_strides(from);
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      if (repeats[i] < 0) throw failure({"repeats ", repeats, " are negative"});
      split.insert(split.end(), {repeats[i], from[i]});
      strides.insert(strides.end(), {0, own[i]});
    }
    element_count(split);
    for (std::size_t i = 0; i < repeats.size(); ++i) dims.push_back(repeats[i] * from[i]);
  }
};

/// Depth in [block, block, channels], or channels first.
inline Tensor depth_to_space(const Tensor& x, std::int64_t block, bool channels_first) {
  if (x.rank() != 4 || block < 1 || x.dims()[1] % element_count(Dims{block, block}) != 0)
    throw failure({"no blocks of ", block, " in ", x});
  const std::int64_t n = x.dims()[0], c = x.dims()[1] / (block * block), h = x.dims()[2], w = x.dims()[3];
  const Tensor blocks = channels_first ? permuted(x.reshaped({n, c, block, block, h, w}), {0, 1, 4, 2, 5, 3})
                                       : permuted(x.reshaped({n, block, block, c, h, w}), {0, 3, 4, 1, 5, 2});
  return blocks.reshaped({n, c, h * block, w * block});
}

/// The inverse.
inline Tensor space_to_depth(const Tensor& x, std::int64_t block, bool channels_first) {
  if (x.rank() != 4 || block < 1 || x.dims()[2] % block != 0 || x.dims()[3] % block != 0)
    throw failure({"no blocks of ", block, " in ", x});
  const std::int64_t n = x.dims()[0], c = x.dims()[1], h = x.dims()[2] / block, w = x.dims()[3] / block;
  const std::vector<std::size_t> order =
      channels_first ? std::vector<std::size_t>{0, 1, 3, 5, 2, 4} : std::vector<std::size_t>{0, 3, 5, 1, 2, 4};
  return permuted(x.reshaped({n, c, h, block, w, block}), order).reshaped({n, c * block * block, h, w});
}

/// The mode of DepthToSpace.
inline bool reads_channels_first(const KernelContext& ctx) {
  return choice(ctx, "mode", {"DCR", "CRD"}, "DCR") == "CRD";
}

}  // namespace graft::inline v1::standard_kernels::detail

/// Transpose, Expand, Tile, DepthToSpace, SpaceToDepth.
namespace graft::inline v1::standard_kernels {

inline void transpose(KernelContext& ctx) {
  ctx.set_output(0, permuted(ctx.input(0), detail::read_order(ctx, ctx.input(0).rank())));
}

inline void expand(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Dims dims = detail::broadcast_dims(x.dims(), ctx.input(1).to<std::int64_t>());
  if (dims == x.dims()) return ctx.set_output(0, ctx.take_input(0));
  ctx.set_output(0, detail::gather_strided(x, dims, 0, detail::broadcast_strides(x.dims(), dims)));
}

inline void tile(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  detail::Repeats repeats(x.dims(), ctx.input(1).to<std::int64_t>());
  ctx.set_output(0, detail::gather_strided(x, repeats.split, 0, repeats.strides).reshaped(std::move(repeats.dims)));
}

inline void depth_to_space(KernelContext& ctx) {
  const auto block = ctx.attr<std::int64_t>("blocksize");
  ctx.set_output(0, detail::depth_to_space(ctx.input(0), block, detail::reads_channels_first(ctx)));
}

inline void space_to_depth(KernelContext& ctx) {
  ctx.set_output(0, detail::space_to_depth(ctx.input(0), ctx.attr<std::int64_t>("blocksize"), false));
}

inline void add_movement(Kernels& kernels) {
  kernels.add("Transpose", transpose)
      .add("Expand", expand)
      .add("Tile", {6}, tile)
      .add("DepthToSpace", depth_to_space)
      .add("SpaceToDepth", space_to_depth);
}

}  // namespace graft::inline v1::standard_kernels
