#pragma once
#include <cstddef>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// What an operand of a scaled dot product is computed of, behind Transposes and constant factors. The operand is the
/// source with its axes in the order of `perm`, times `factor`: [batch, heads, steps, size].
struct HeadView {
  static constexpr std::size_t batch = 0, heads = 1, steps = 2, size = 3;

  Value* source = nullptr;  // nullptr for the Reshape of `flat` to `shape`
  Shape shape;              // of the source, of rank 4
  Ints perm{0, 1, 2, 3};
  Value* flat = nullptr;     // [batch, steps, heads * size], of which the source is a Reshape; nullptr if there is none
  bool steps_first = false;  // it is [steps, batch, heads * size]
  double factor = 1;

  /// Whether batches and heads are known apart. Views of others have no axes.
  bool has_heads() const { return shape.rank() == 4; }
  Dim dim(std::size_t axis) const { return shape[static_cast<std::size_t>(perm[axis])]; }
  DType dtype() const { return (source != nullptr ? source : flat)->dtype(); }
  bool is_in_order() const { return perm == Ints{0, 1, 2, 3}; }

  /// An extent as i64[1], computed at run time where it is not known.
  Value& extent(Rewriter& rewriter, std::size_t axis) const;
  /// As [batch, steps, heads * size], without the factor.
  Value& flattened(Rewriter& rewriter) const;
  /// As [batch, heads, steps, size], without the factor.
  Value& by_heads(Rewriter& rewriter) const;
};

/// Of an operand that is [batch, heads, steps, size] or [batch * heads, steps, size], or with its last two axes
/// exchanged. Batches and heads are taken apart where Reshapes put them together: [batch, heads, ...] to
/// [batch * heads, ...], or [steps, batch, heads * size] to [steps, batch * heads, size].
HeadView head_view(Value& operand, bool exchanged);

/// Whether a Reshape puts the first two of four axes together.
bool merges_heads(const Shape& apart, const Shape& merged);

/// Transpose(x) {perm=[1,0,2]}, or what x is that of.
Value& with_first_axes_exchanged(Rewriter& rewriter, Value& x);

/// The extent of an axis as i64[1].
Value& extent(Rewriter& rewriter, Value& x, std::size_t axis);

/// The value as [batch, heads, steps, size], from [batch, steps, heads * size].
Value& split_heads(Rewriter& rewriter, Value& flat, std::int64_t heads, std::int64_t size);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/head_view.ipp>
#endif
