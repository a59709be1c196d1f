#pragma once
#include <graft/transformer/detail/scaled_dot_product.hpp>

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/transformer/detail/attention_mask.hpp>
#include <graft/transformer/detail/extents.hpp>
#include <graft/transformer/detail/repeated_heads.hpp>
#include <graft/vocabulary/hidden_rows.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void ScaledDotProduct::set_operands(Value& queries, Value& keys, bool exchanged, Value& values) {
  query = head_view(queries, false);
  key = head_view(keys, exchanged);
  value = head_view(values, false);
  scale *= query.factor * key.factor;
}

/// The only reader of a value, in its scope; the value is not a graph output.
inline Node* sole_reader(const Value& value) {
  if (!value.has_one_use() || value.is_graph_output()) return nullptr;
  Node* const user = value.uses().front().user();
  return &user->graph() == &value.graph() ? user : nullptr;
}

/// The only reader, if it is of this type and reads the value first.
inline Node* sole_reader(const Value& value, std::string_view op_type) {
  Node* const reader = sole_reader(value);
  return reader != nullptr && reader->is(op_type) && reader->input(0) == &value ? reader : nullptr;
}

GRAFT_INLINE void ScaledDotProduct::set_result(Node& node) {
  root = &node;
  heads = node.output(0);
  flat = steps_first = nullptr;
  if (!query.has_heads() || !value.has_heads()) return;
  const Dim batch = query.dim(HeadView::batch), steps = query.dim(HeadView::steps), count = query.dim(HeadView::heads),
            width = value.dim(HeadView::size);
  if (!count.known() || !width.known()) return;
  if (const Node* const split = sole_reader(*heads, "Reshape"); split != nullptr && heads->shape().rank() == 3) {
    const Shape apart = split->output(0)->shape();
    if (merges_heads(apart, heads->shape()) && apart[1] == count) heads = split->output(0);
  }
  const Node* const turned = sole_reader(*heads, "Transpose");
  const Node* const joined = turned == nullptr ? nullptr : sole_reader(*turned->output(0), "Reshape");
  if (joined == nullptr) return;
  const auto perm = turned->attr<Ints>("perm");
  const bool from_merged = heads->shape().rank() == 3;
  const Shape whole = joined->output(0)->shape();
  const Dim all(count.value() * width.value());
  if (!from_merged && perm == Ints{0, 2, 1, 3}) {
    if (whole.rank() == 3 && same_size(whole[0], batch) && same_size(whole[1], steps) && whole[2] == all)
      flat = joined->output(0);
  } else if (perm == (from_merged ? Ints{1, 0, 2} : Ints{2, 0, 1, 3})) {
    const bool apart = whole.rank() == 3 && same_size(whole[0], steps) && same_size(whole[1], batch);
    if ((apart || whole.rank() == 2) && whole[whole.rank() - 1] == all) steps_first = joined->output(0);
  }
}

GRAFT_INLINE Value* ScaledDotProduct::mask_by_heads(Rewriter& rewriter, Value& merged,
                                                    const Value& merged_scores) const {
  const Shape shape = merged.shape(), scores = merged_scores.shape();
  if (!shape.known() || shape.rank() < 3 || shape[0] == Dim(1)) return &merged;
  const Node* const node = merged.producer();
  const bool reshapes = node != nullptr && node->is("Reshape") && node->input(0) != nullptr;
  if (reshapes && merges_heads(node->input(0)->shape(), shape)) {
    const Dim heads_of_mask = node->input(0)->shape()[1];
    if (same_size(heads_of_mask, query.dim(HeadView::heads))) return node->input(0);
  }
  // [batch, heads, keys] as [batch * heads, 1, keys]
  const Shape apart = reshapes ? node->input(0)->shape() : Shape();
  if (apart.rank() == 3 && shape.rank() == 3 && shape[1] == Dim(1) && same_size(apart[2], shape[2]) &&
      same_size(apart[1], query.dim(HeadView::heads)) && same_size(apart[0], query.dim(HeadView::batch))) {
    const Ints target{0, 0, 1, -1};
    Value& split = rewriter.op("Reshape", {node->input(0), &rewriter.ints(target)});
    const std::vector<Dim> dims{apart[0], apart[1], Dim(1), apart[2]};
    rewriter.set_type(split, tensor_type(merged.dtype(), Shape(dims)));
    return &split;
  }
  if (shape.rank() != 3 || scores.rank() != 3 || !same_size(shape[0], scores[0])) return nullptr;
  const auto number = [&](std::int64_t each) -> Value& {
    return rewriter.constant(Tensor::of<std::int64_t>({1}, {each}), "number");
  };
  Value& target = rewriter.op(
      "Concat",
      {&number(-1), &number(head_count()), &detail::extent(rewriter, merged, 1), &detail::extent(rewriter, merged, 2)},
      {{"axis", 0}});
  Value& split = rewriter.op("Reshape", {&merged, &target});
  const std::vector<Dim> dims{query.dim(HeadView::batch), query.dim(HeadView::heads), shape[1], shape[2]};
  rewriter.set_type(split, tensor_type(merged.dtype(), Shape(dims)));
  return &split;
}

/// A Concat of a past and new steps that is [batch, heads, steps, size].
inline std::optional<ScaledDotProduct::Cache> cache_of(const HeadView& view) {
  const Node* const joined = view.source == nullptr ? nullptr : made_by(*view.source, "Concat", 2);
  if (joined == nullptr || joined->input_count() != 2 || !view.is_in_order()) return std::nullopt;
  const auto axis = joined->attr<std::int64_t>("axis").value_or(1);
  Value *const past = joined->input(0), *const added = joined->input(1);
  if ((axis != 2 && axis != -2) || past->shape().rank() != 4 || added->shape().rank() != 4) return std::nullopt;
  HeadView fresh = head_view(*added, false);
  if (fresh.factor != 1 || !fresh.dim(HeadView::heads).known() || !fresh.dim(HeadView::size).known())
    return std::nullopt;
  return ScaledDotProduct::Cache{past, view.source, std::move(fresh)};
}

/// Whether the caches of keys and values are known to have equal lengths, before and after.
inline bool are_as_long(const ScaledDotProduct::Cache& keys, const ScaledDotProduct::Cache& values) {
  const Shape first = keys.past->shape(), second = values.past->shape();
  return first.rank() == 4 && second.rank() == 4 && same_size(first[2], second[2]) &&
         same_size(keys.added.dim(HeadView::steps), values.added.dim(HeadView::steps));
}

GRAFT_INLINE void ScaledDotProduct::find_caches() {
  keys_before = cache_of(key);
  values_before = keys_before ? cache_of(value) : std::nullopt;
  const bool in_scope = keys_before && &keys_before->present->graph() == &root->graph() && values_before &&
                        &values_before->present->graph() == &root->graph();
  if (!in_scope || !are_as_long(*keys_before, *values_before)) drop_caches();
}

GRAFT_INLINE void ScaledDotProduct::drop_caches() {
  keys_before.reset();
  values_before.reset();
}

GRAFT_INLINE std::optional<ScaledDotProduct> ScaledDotProduct::with_groups(Rewriter& rewriter) const {
  if (!key.is_in_order() || !value.is_in_order()) return std::nullopt;
  const auto keys = repeated_heads(rewriter, *key.source), values = repeated_heads(rewriter, *value.source);
  if (!keys || !values || keys->times != values->times) return std::nullopt;
  ScaledDotProduct grouped = *this;
  grouped.key.source = keys->groups;
  grouped.key.shape = keys->groups->shape();
  grouped.value.source = values->groups;
  grouped.value.shape = values->groups->shape();
  return grouped;
}

GRAFT_INLINE bool ScaledDotProduct::is_causal(Rewriter& rewriter) const {
  const Dim steps = query.dim(HeadView::steps), all = key.dim(HeadView::steps);
  if (mask == nullptr) return steps == Dim(1);
  const Dim past = keys_before ? keys_before->past->shape()[2] : Dim(0);
  return is_causal_mask(rewriter, *mask, past, steps, all);
}

GRAFT_INLINE bool ScaledDotProduct::hides_later_keys(Rewriter& rewriter) const {
  const Dim past = keys_before ? keys_before->past->shape()[2] : Dim(0);
  return mask != nullptr && detail::hides_later_keys(rewriter, *mask, past, query.dim(HeadView::steps),
                                                     key.dim(HeadView::steps));
}

GRAFT_INLINE ScoreExtents ScaledDotProduct::extents() const {
  const Value* const source = query.flat != nullptr ? query.flat : query.source;
  const bool batch_first = query.flat != nullptr ? !query.steps_first : query.perm[HeadView::batch] == 0;
  return {query.dim(HeadView::batch), query.dim(HeadView::heads), query.dim(HeadView::steps), key.dim(HeadView::steps),
          !batch_first || !has_many(*source)};
}

GRAFT_INLINE Verdict ScaledDotProduct::check(KnownContents& known) const {
  for (const HeadView* const view : {&query, &key, &value}) {
    if (!view->has_heads()) return Verdict::no("batches and heads are not known to be separate");
    if (!view->dim(HeadView::heads).known() || !view->dim(HeadView::size).known())
      return Verdict::no("the number of heads or their size is not known");
    if (!same_size(view->dim(HeadView::batch), query.dim(HeadView::batch)))
      return Verdict::no("queries, keys and values may have different batches");
  }
  if (size() < 1 || value_size() < 1 || head_count() < 1) return Verdict::no("a head is empty");
  if (key.dim(HeadView::size) != query.dim(HeadView::size)) return Verdict::no("the sizes of heads differ");
  if (value.factor != 1) return Verdict::no("the values are multiplied");
  const Dim keys = key.dim(HeadView::steps), values = value.dim(HeadView::steps);
  if (keys.known() && values.known() && keys != values) return Verdict::no("the numbers of keys and values differ");
  if (keys_before && !are_as_long(*keys_before, *values_before))
    return Verdict::no("the pasts of keys and values may differ in length");
  if (query.dtype() != key.dtype() || query.dtype() != value.dtype())
    return Verdict::no("queries, keys and values have different types");
  if (!std::isfinite(scale) || scale == 0) return Verdict::no("the scale is 0 or not finite");
  return mask == nullptr ? Verdict::yes() : fits_scores(*mask, extents(), known);
}

GRAFT_INLINE bool ScaledDotProduct::has_default_scale() const {
  return std::abs(scale * std::sqrt(static_cast<double>(size())) - 1) <= 0x1p-22;
}

GRAFT_INLINE Value* ScaledDotProduct::broad_mask(Rewriter& rewriter) const {
  if (mask == nullptr) return nullptr;
  const auto keys = [&]() -> Value& {
    if (!keys_before) return key.extent(rewriter, HeadView::steps);
    return rewriter.op("Add", {&detail::extent(rewriter, *keys_before->past, 2),
                               &keys_before->added.extent(rewriter, HeadView::steps)});
  };
  const auto steps = [&]() -> Value& { return query.extent(rewriter, HeadView::steps); };
  return &with_rows_and_keys(rewriter, *mask, extents(), *root, steps, keys);
}

GRAFT_INLINE Value& ScaledDotProduct::guarded(Rewriter& rewriter, Value& result) const {
  if (!has_guarded_weights) return result;
  Value& zero = rewriter.constant(Tensor(query.dtype(), {}), "zero");
  return rewriter.op("Where", {&rewriter.op("IsNaN", {&result}), &zero, &result});
}

/// The mask for a result with joined heads: [batch or 1, steps, keys] or less; nullptr if heads have different masks.
inline Value* mask_of_all_heads(Rewriter& rewriter, Value& mask) {
  const Shape shape = mask.shape();
  if (shape.rank() < 3) return &mask;
  if (shape[shape.rank() - 3] != Dim(1)) return nullptr;
  return shape.rank() == 3 ? &mask : &rewriter.op("Squeeze", {&mask, &rewriter.ints({1})});
}

GRAFT_INLINE Verdict ScaledDotProduct::replace_by(Rewriter& rewriter, Value& attended) const {
  using vocabulary::with_zeros_for_hidden_rows;
  Value* const joined = hidden_rows_are_zero ? mask_of_all_heads(rewriter, *mask) : nullptr;
  if (hidden_rows_are_zero && joined == nullptr) {
    Value& apart = split_heads(rewriter, attended, head_count(), value_size());
    return replace_heads_by(rewriter, with_zeros_for_hidden_rows(rewriter, apart, *mask));
  }
  Value& result =
      joined != nullptr ? with_zeros_for_hidden_rows(rewriter, attended, *joined) : guarded(rewriter, attended);
  if (flat != nullptr) return rewriter.replace(*flat, result);
  if (steps_first == nullptr)
    return replace_heads_by(rewriter, split_heads(rewriter, result, head_count(), value_size()));
  Value& exchanged = rewriter.op("Transpose", {&result}, {{"perm", {1, 0, 2}}});
  if (steps_first->shape().rank() == 3) return rewriter.replace(*steps_first, exchanged);
  const Ints rows{-1, head_count() * value_size()};
  Value& target = rewriter.constant(Tensor::of<std::int64_t>({2}, rows), "rows");
  return rewriter.replace(*steps_first, rewriter.op("Reshape", {&exchanged, &target}));
}

GRAFT_INLINE Verdict ScaledDotProduct::replace_heads_by(Rewriter& rewriter, Value& result) const {
  if (heads->shape().rank() == 4) return rewriter.replace(*heads, result);
  const auto number = [&](std::int64_t each) -> Value& {
    return rewriter.constant(Tensor::of<std::int64_t>({1}, {each}), "number");
  };
  Value& target = rewriter.op("Concat", {&number(-1), &query.extent(rewriter, HeadView::steps), &number(value_size())},
                              {{"axis", 0}});
  return rewriter.replace(*heads, rewriter.op("Reshape", {&result, &target}));
}

}  // namespace graft::inline v1::detail
