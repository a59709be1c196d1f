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

/// softmax(scale * query key^T + mask) value, in any spelling. With a cap, scores s become cap * tanh(s / cap) before
/// the mask is added.
struct ScaledDotProduct {
  HeadView query, key, value;  // their factors are part of the scale
  Value* mask = nullptr;       // added to the scores; nullptr if there is none
  double scale = 1;
  double cap = 0;                     // 0 if there is none
  bool has_guarded_weights = false;   // NaN weights, of rows with all keys hidden, count as 0
  bool hidden_rows_are_zero = false;  // the result is 0, not NaN, where the mask is -infinity for all keys of a query
  bool wide_softmax = false;          // the softmax runs in f32 for any type of scores
  bool causal = false;                // a query sees no key after itself, counted from the first
  Node* root = nullptr;               // the producer of `heads`
  Value* heads = nullptr;             // the result as [batch, heads, steps, size] or [batch * heads, steps, size]
  Value* flat = nullptr;              // the result as [batch, steps, heads * size]; nullptr if other forms have readers
  Value* steps_first = nullptr;       // the same as [steps, batch, heads * size] or [steps * batch, heads * size]

  /// A cache before key and value: the Concat of past and new steps.
  struct Cache {
    Value *past = nullptr, *present = nullptr;
    HeadView added;
  };
  std::optional<Cache> keys_before, values_before;

  /// Operands of both MatMuls: all [batch, heads, steps, size], or all [batch * heads, steps, size]. `exchanged`: the
  /// last two axes of the key are exchanged.
  void set_operands(Value& queries, Value& keys, bool exchanged, Value& values);
  /// The result of a root, and the Transpose and Reshape after it that flatten it. Precondition: set_operands().
  void set_result(Node& node);
  /// Turns a mask, or a condition for one, from scores [batch * heads, steps, keys] to [batch, heads, steps, keys].
  /// nullptr if it may have more elements than the scores. Precondition: set_operands().
  Value* mask_by_heads(Rewriter& rewriter, Value& merged, const Value& merged_scores) const;
  /// Finds Concats of a cache in the scope of the root, if both key and value have one, of equal length.
  void find_caches();
  void drop_caches();
  /// The same attention with keys and values before their heads are repeated, if each head serves several queries.
  std::optional<ScaledDotProduct> with_groups(Rewriter& rewriter) const;

  std::int64_t head_count() const { return query.dim(HeadView::heads).value(); }
  std::int64_t size() const { return query.dim(HeadView::size).value(); }
  std::int64_t value_size() const { return value.dim(HeadView::size).value(); }
  ScoreExtents extents() const;
  /// Whether each query is known to see exactly the keys that are not after it. Precondition: find_caches().
  bool is_causal(Rewriter& rewriter) const;
  /// Whether the mask is known to hide at least the keys after each query. Precondition: find_caches().
  bool hides_later_keys(Rewriter& rewriter) const;
  /// Whether extents are known and match.
  Verdict check(KnownContents& known) const;
  /// Whether the scale is the default of kernels: 1 / sqrt(size).
  bool has_default_scale() const;

  /// The mask for kernels that broadcast only its first two axes; nullptr if there is none.
  Value* broad_mask(Rewriter& rewriter) const;
  /// The result with zeros instead of NaN, if the weights are guarded in this way.
  Value& guarded(Rewriter& rewriter, Value& result) const;
  /// Replaces this by a result of the flat form.
  Verdict replace_by(Rewriter& rewriter, Value& attended) const;
  /// Replaces this by a result [batch, heads, steps, size].
  Verdict replace_heads_by(Rewriter& rewriter, Value& result) const;
};

}  // namespace graft::inline v1::detail
