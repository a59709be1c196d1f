#pragma once
#include <cstdint>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/transformer/detail/attention_mask.hpp>
#include <graft/transformer/detail/head_view.hpp>

namespace graft::inline v1::detail {

/// softmax(scale * query key^T + mask) value, however it is spelt. Where there is a cap, scores s are
/// cap * tanh(s / cap) before the mask is added.
struct ScaledDotProduct {
  HeadView query, key, value;  // their factors are part of the scale
  Value* mask = nullptr;       // added to the scores; nullptr if there is none
  double scale = 1;
  double cap = 0;                     // 0 if there is none
  bool has_guarded_weights = false;   // weights that are NaN count as 0, which they are in rows that hide all keys
  bool hidden_rows_are_zero = false;  // the result is 0, not NaN, where the mask is -infinity for all keys of a query
  bool wide_softmax = false;          // it runs in f32, whatever the type of the scores
  bool causal = false;                // a query sees no key behind itself, counted from the first
  Node* root = nullptr;               // makes `heads`
  Value* heads = nullptr;             // the result as [batch, heads, steps, size] or [batch * heads, steps, size]
  Value* flat = nullptr;              // the result as [batch, steps, heads * size]; nullptr if others are needed
  Value* steps_first = nullptr;       // the same as [steps, batch, heads * size] or [steps * batch, heads * size]

  /// A cache in front of key and value: the Concat of past and new steps.
  struct Cache {
    Value *past = nullptr, *present = nullptr;
    HeadView added;
  };
  std::optional<Cache> keys_before, values_before;

  /// Operands of both MatMuls: [batch, heads, steps, size] or [batch * heads, steps, size] all, the key exchanged if
  /// `exchanged`.
  void set_operands(Value& queries, Value& keys, bool exchanged, Value& values);
  /// The result of a root, and the Transpose and Reshape behind it that flatten it. set_operands() before.
  void set_result(Node& node);
  /// A mask, or a condition for one, of scores that are [batch * heads, steps, keys], for [batch, heads, steps, keys].
  /// nullptr if it may have more elements than those. set_operands() before.
  Value* mask_by_heads(Rewriter& rewriter, Value& merged, const Value& merged_scores) const;
  /// Reads Concats of a cache in the scope of the root, if both key and value have one, as long as each other.
  void find_caches();
  void drop_caches();
  /// The same with keys and values whose heads each serve several of the queries, where they are repeated for that.
  std::optional<ScaledDotProduct> with_groups(Rewriter& rewriter) const;

  std::int64_t head_count() const { return query.dim(HeadView::heads).value(); }
  std::int64_t size() const { return query.dim(HeadView::size).value(); }
  std::int64_t value_size() const { return value.dim(HeadView::size).value(); }
  ScoreExtents extents() const;
  /// Whether no key behind its query is seen, and all others are, as far as that is known. find_caches() before.
  bool is_causal(Rewriter& rewriter) const;
  /// Whether extents are known and fit each other.
  Verdict check(KnownContents& known) const;
  /// Whether the scale is that of kernels which are given none: 1 / sqrt(size).
  bool has_default_scale() const;

  /// The mask for kernels that broadcast it along its first two axes only; nullptr if there is none.
  Value* broad_mask(Rewriter& rewriter) const;
  /// The result with zeros for what is NaN, if the weights are so guarded.
  Value& guarded(Rewriter& rewriter, Value& result) const;
  /// Puts a result of the flat form in the place of this.
  Verdict replace_by(Rewriter& rewriter, Value& attended) const;
  /// The same for one that is [batch, heads, steps, size].
  Verdict replace_heads_by(Rewriter& rewriter, Value& result) const;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/scaled_dot_product.ipp>
#endif
