#pragma once
#include <cstddef>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// The source of an operand of a scaled dot product, before Transposes and constant factors. The operand is the source
/// with its axes in the order of `perm`, times `factor`: [batch, heads, steps, size].
struct HeadView {
  static constexpr std::size_t batch = 0, heads = 1, steps = 2, size = 3;

  Value* source = nullptr;  // nullptr for the Reshape of `flat` to `shape`
  Shape shape;              // of the source, of rank 4
  Ints perm{0, 1, 2, 3};
  Value* flat = nullptr;     // [batch, steps, heads * size], the input of the Reshape to the source, or nullptr
  bool steps_first = false;  // flat is [steps, batch, heads * size]
  double factor = 1;

  /// Whether batches and heads are separate axes. Other views have no axes.
  bool has_heads() const { return shape.rank() == 4; }
  Dim dim(std::size_t axis) const { return shape[static_cast<std::size_t>(perm[axis])]; }
  DType dtype() const { return (source != nullptr ? source : flat)->dtype(); }
  bool is_in_order() const { return perm == Ints{0, 1, 2, 3}; }

  /// An extent as i64[1], computed at run time if it is unknown.
  Value& extent(Rewriter& rewriter, std::size_t axis) const;
  /// As [batch, steps, heads * size], without the factor.
  Value& flattened(Rewriter& rewriter) const;
  /// As [batch, heads, steps, size], without the factor.
  Value& by_heads(Rewriter& rewriter) const;
};

/// The view of an operand that is [batch, heads, steps, size] or [batch * heads, steps, size], or has its last two axes
/// exchanged. Splits batches and heads that Reshapes merged: [batch, heads, ...] to [batch * heads, ...], or [steps,
/// batch, heads * size] to [steps, batch * heads, size].
HeadView head_view(Value& operand, bool exchanged);

/// Whether a Reshape merges the first two of four axes.
bool merges_heads(const Shape& apart, const Shape& merged);

/// Transpose(x) {perm=[1,0,2]}, or its source if x is such a Transpose.
Value& with_first_axes_exchanged(Rewriter& rewriter, Value& x);

/// The extent of an axis as i64[1].
Value& extent(Rewriter& rewriter, Value& x, std::size_t axis);

/// [batch, steps, heads * size] to [batch, heads, steps, size].
Value& split_heads(Rewriter& rewriter, Value& flat, std::int64_t heads, std::int64_t size);

}  // namespace graft::inline v1::detail
