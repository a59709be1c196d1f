#pragma once
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// Transpose. Without perm it reverses the axes.
inline Verdict transpose(InferContext& c) {
  const Shape x = c.shape(0);
  auto perm = c.attr<Ints>("perm");
  if (!x.known()) {
    if (perm && !perm->empty()) {
      c.set_shape(0, std::vector<Dim>(perm->size()));
    } else {
    }
    return Verdict::yes();
  }
  c.set_shape(0, std::vector<Dim>(x.rank()));
  if (!perm || perm->empty()) {
    perm.emplace(x.rank());
    std::iota(perm->rbegin(), perm->rend(), 0);
  }
  const auto axes = normalized(*perm, x.rank());
  if (!axes || axes->size() != x.rank()) return Verdict::no("perm is not a permutation of the axes");
  std::vector<Dim> out;
  for (const std::size_t axis : *axes) out.push_back(x[axis]);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

inline Verdict move_blocks(InferContext& c, bool into_depth) {
  const Shape x = c.shape(0);
  const Dim block(c.attr("blocksize", 0));
  if (c.attr("blocksize", 0) < 1) return Verdict::no("blocksize is not positive");
  if (!x.known()) return Verdict::yes();
  if (x.rank() != 4) return Verdict::no("the input must have rank 4");
  const auto shrunk = [](const Dim& dim, std::vector<Dim> by) { return quotient({dim}, std::move(by)); };
  const auto depth = into_depth ? multiply(x[1], multiply(block, block)) : shrunk(x[1], {block, block});
  const auto height = into_depth ? shrunk(x[2], {block}) : multiply(x[2], block);
  const auto width = into_depth ? shrunk(x[3], {block}) : multiply(x[3], block);
  if (!depth || !height || !width) return Verdict::no("blocksize does not divide the input");
  c.set_shape(0, {x[0], *depth, *height, *width});
  return Verdict::yes();
}

inline Verdict depth_to_space(InferContext& c) { return move_blocks(c, false); }
inline Verdict space_to_depth(InferContext& c) { return move_blocks(c, true); }

}  // namespace graft::inline v1::infer
