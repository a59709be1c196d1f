#pragma once
#include <cstddef>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// What an operand of a scaled dot product is computed of, behind Transposes and constant factors. The operand is the
/// source with its axes in the order of `perm`, times `factor`: [batch, heads, steps, size].
struct HeadView {
  static constexpr std::size_t batch = 0, heads = 1, steps = 2, size = 3;

  Value* source = nullptr;  // of rank 4
  Ints perm{0, 1, 2, 3};
  Value* flat = nullptr;  // [batch, steps, heads * size], of which the source is a Reshape; nullptr if there is none
  double factor = 1;

  Dim dim(std::size_t axis) const { return source->shape()[static_cast<std::size_t>(perm[axis])]; }
  bool is_in_order() const { return perm == Ints{0, 1, 2, 3}; }

  /// An extent as i64[1], computed at run time where it is not known.
  Value& extent(Rewriter& rewriter, std::size_t axis) const;
  /// As [batch, steps, heads * size], without the factor.
  Value& flattened(Rewriter& rewriter) const;
  /// As [batch, heads, steps, size], without the factor.
  Value& by_heads(Rewriter& rewriter) const;
};

/// Of an operand of rank 4 that is [batch, heads, steps, size], or with its last two axes exchanged.
HeadView head_view(Value& operand, bool exchanged);

/// The extent of an axis as i64[1].
Value& extent(Rewriter& rewriter, Value& x, std::size_t axis);

/// The value as [batch, heads, steps, size], from [batch, steps, heads * size].
Value& split_heads(Rewriter& rewriter, Value& flat, std::int64_t heads, std::int64_t size);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/head_view.ipp>
#endif
