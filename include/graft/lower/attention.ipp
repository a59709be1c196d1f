#pragma once
#include <graft/lower/attention.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/attention_node.hpp>
#include <graft/lower/detail/attention_primitives.hpp>
#include <graft/lower/detail/decompose_group_query_attention.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/hidden_rows.hpp>
#include <graft/vocabulary/short_mask.hpp>

namespace graft::inline v1 {
namespace detail {

inline Verdict decompose_standard(Rewriter& rewriter, Node& node) {
  if (Verdict fits = is_computable(node, 3); !fits) return fits;
  Value *q = node.input(0), *k = node.input(1), *v = node.input(2), *const mask = node.input(3);
  Value *const past_key = node.input(4), *const past_value = node.input(5);
  if (node.input(6) != nullptr) return Verdict::no("it has lengths");
  if (integer_of(node, "left_window_size", -1) >= 0 || integer_of(node, "right_window_size", -1) >= 0)
    return Verdict::no("it has a window");
  const std::size_t rank = q->shape().rank();
  if ((rank != 3 && rank != 4) || k->shape().rank() != rank || v->shape().rank() != rank)
    return Verdict::no("its inputs are not known to be of rank 3 or 4");
  const bool flat = rank == 3;
  const Dim heads = flat ? Dim(integer_of(node, "q_num_heads", -1)) : dim_of(*q, 1);
  const Dim groups = flat ? Dim(integer_of(node, "kv_num_heads", -1)) : dim_of(*k, 1);
  if (!heads.known() || !groups.known() || groups.value() < 1 || heads.value() % groups.value() != 0)
    return Verdict::no("its numbers of heads are not known");
  const auto scale = scale_of(node, flat ? size_of(dim_of(*q, 2), heads.value()) : dim_of(*q, 3));
  if (!scale) return Verdict::no("the size of its heads is not known");
  const auto cap = static_cast<double>(node.attr<float>("softcap").value_or(0));
  const auto precision = static_cast<DType>(integer_of(node, "softmax_precision"));

  AttentionPrimitives build(rewriter, q->dtype());
  const DType dtype = q->dtype();
  if (mask != nullptr && mask->dtype() != DType::boolean && mask->dtype() != dtype)
    return Verdict::no("its mask is of another type");
  if (vocabulary::may_have_short_mask(node, dim_of(*k, flat ? 1 : 2)))
    return Verdict::no("its mask may be shorter than the keys");
  if (flat) {
    q = &build.split_heads(*q, heads.value());
    k = &build.split_heads(*k, groups.value());
    v = &build.split_heads(*v, groups.value());
  }
  Value &keys = build.behind(past_key, *k), &values = build.behind(past_value, *v);
  const std::int64_t times = heads.value() / groups.value();
  Value& all = build.repeat_heads(keys, groups.value(), times);
  Value* scores = &build.capped(build.scores(*q, all, *scale), cap);
  const bool chooses = mask != nullptr && mask->dtype() == DType::boolean;
  Value *seen = chooses ? mask : nullptr, *added = chooses ? nullptr : mask;
  const bool is_causal = integer_of(node, "is_causal") != 0;
  if (is_causal) {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    Value& not_behind = build.not_behind(*q, all, past_key == nullptr ? nullptr : &build.extent(*past_key, 2));
    if (seen != nullptr) seen = &build.op("And", {seen, &not_behind});
    else if (added != nullptr) added = &build.hidden(*added, not_behind, hidden);
    else scores = &build.hidden(*scores, not_behind, hidden);  // a query sees itself
  }
  // If a runtime adds f16 in f32, adding the lowest f16 would keep differences between scores.
  if (seen != nullptr) scores = &build.hidden(*scores, *seen, lowest_of(dtype));
  if (added != nullptr) scores = &build.op("Add", {scores, added});
  Value* result = &build.weighted(*scores, build.repeat_heads(values, groups.value(), times), precision);
  if (seen != nullptr) result = &build.of_seeing(*result, *seen);
  if (added != nullptr && vocabulary::may_hide_rows(*mask, is_causal))
    result = &vocabulary::with_zeros_for_hidden_rows(rewriter, *result, *added);
  return replace_attention(rewriter, node, flat ? build.join_heads(*result, heads.value()) : *result, &keys, &values);
}

/// The part that com.microsoft's Attention and MultiHeadAttention share, of [batch, heads, steps, size].
inline Value& contrib_weighted(AttentionPrimitives& build, const Node& node, Value& q, Value& k, Value& v, double scale,
                               Value* mask, Value* added, Value* past_steps) {
  Value* scores = &build.scores(q, k, scale);
  if (mask != nullptr) {
    const auto filter = static_cast<double>(node.attr<float>("mask_filter_value").value_or(-10000));
    scores = &build.op("Add", {scores, &build.hidden_keys(*mask, k, filter)});
  }
  if (added != nullptr) scores = &build.op("Add", {scores, added});
  if (integer_of(node, "unidirectional") != 0)
    scores = &build.hidden(*scores, build.not_behind(q, k, past_steps), lowest_of(node.input(0)->dtype()));
  return build.join_heads(build.weighted(*scores, v), integer_of(node, "num_heads"));
}

inline Verdict decompose_merged(Rewriter& rewriter, Node& node) {
  if (Verdict fits = is_computable(node, 2); !fits) return fits;
  if (Verdict fits = is_key_mask(node.input(3), dim_of(*node.input(0), 0)); !fits) return fits;
  if (integer_of(node, "do_rotary") != 0 || integer_of(node, "past_present_share_buffer") != 0)
    return Verdict::no("it rotates heads, or shares its cache");
  const std::int64_t heads = integer_of(node, "num_heads");
  const Dim width = dim_of(*node.input(1), 1);
  if (heads < 1 || !width.known()) return Verdict::no("its width is not known");
  const Ints sizes = node.attr<Ints>("qkv_hidden_sizes").value_or(Ints(3, width.value() / 3));
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width.value())
    return Verdict::no("its sizes do not add up to the width of its weight");
  const auto scale = scale_of(node, size_of(Dim(sizes[0]), heads));
  if (!scale) return Verdict::no("the size of its heads is not known");

  AttentionPrimitives build(rewriter, node.input(0)->dtype());
  Value* projected = &build.op("MatMul", {node.input(0), node.input(1)});
  if (node.input(2) != nullptr) projected = &build.op("Add", {projected, node.input(2)});
  Value* const inputs[]{projected, &build.ints(sizes)};
  const Node& parts = rewriter.node("Split", inputs, 3, {{"axis", -1}});
  Value *past_key = nullptr, *past_value = nullptr, *steps = nullptr;
  if (Value* const past = node.input(4)) {
    past_key = &build.op("Gather", {past, &build.integer(0)}, {{"axis", 0}});
    past_value = &build.op("Gather", {past, &build.integer(1)}, {{"axis", 0}});
    steps = &build.extent(*past, 3);
  }
  const auto heads_of = [&](std::size_t i) -> Value& {
    Value& part = *parts.output(i);
    rewriter.set_type(part, tensor_type(node.input(0)->dtype(), Shape(std::vector<Dim>{Dim(), Dim(), Dim(sizes[i])})));
    return build.split_heads(part, heads);
  };
  Value& q = heads_of(0);
  Value &keys = build.behind(past_key, heads_of(1)), &values = build.behind(past_value, heads_of(2));
  Value& result = contrib_weighted(build, node, q, keys, values, *scale, node.input(3), node.input(5), steps);
  Value* present = nullptr;
  if (node.output_count() > 1)
    present = &build.op("Concat", {&build.unsqueeze(keys, {0}), &build.unsqueeze(values, {0})}, {{"axis", 0}});
  return replace_attention(rewriter, node, result, present, nullptr);
}

inline Verdict decompose_multi_head(Rewriter& rewriter, Node& node) {
  if (Verdict fits = is_computable(node, 3); !fits) return fits;
  if (Verdict fits = is_key_mask(node.input(4), dim_of(*node.input(0), 0)); !fits) return fits;
  if (node.input(1) == nullptr || node.input(2) == nullptr || dim_of(*node.input(0), 2) == Dim())
    return Verdict::no("its inputs are packed, or of unknown width");
  if (node.input(8) != nullptr || node.input(9) != nullptr) return Verdict::no("it shares its cache");
  const std::int64_t heads = integer_of(node, "num_heads");
  const auto scale = heads < 1 ? std::nullopt : scale_of(node, size_of(dim_of(*node.input(0), 2), heads));
  if (!scale) return Verdict::no("the size of its heads is not known");
  Value* parts[3]{};
  AttentionPrimitives build(rewriter, node.input(0)->dtype());
  std::int64_t first = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Value* part = node.input(i);
    const std::size_t rank = part->shape().rank();
    if (rank != 3 && (rank != 4 || i == 0)) return Verdict::no("its inputs are not known to be of rank 3 or 4");
    if (Value* const bias = node.input(3)) {
      const Dim width = rank == 3 ? dim_of(*part, 2) : Dim();
      if (!width.known()) return Verdict::no("it adds a bias to heads, or to an unknown width");
      part = &build.op("Add", {part, &build.columns(*bias, first, width.value())});
      rewriter.set_type(*part, *node.input(i)->type());
      first += width.value();
    }
    parts[i] = rank == 3 ? &build.split_heads(*part, heads) : part;
  }
  Value &keys = build.behind(node.input(6), *parts[1]), &values = build.behind(node.input(7), *parts[2]);
  Value* const steps = node.input(6) == nullptr ? nullptr : &build.extent(*node.input(6), 2);
  Value& result = contrib_weighted(build, node, *parts[0], keys, values, *scale, node.input(4), node.input(5), steps);
  return replace_attention(rewriter, node, result, &keys, &values);
}

}  // namespace detail

namespace rules {

inline constexpr auto decompose_attention = rule<"decompose-attention">(
    op<"Attention">(any, any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_standard(rewriter, m[outer]); });

inline constexpr auto decompose_contrib_attention = rule<"decompose-contrib-attention">(
    op<"com.microsoft::Attention">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_merged(rewriter, m[outer]); });

inline constexpr auto decompose_multi_head_attention = rule<"decompose-multi-head-attention">(
    op<"com.microsoft::MultiHeadAttention">(any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_multi_head(rewriter, m[outer]); });

inline constexpr auto decompose_group_query_attention = rule<"decompose-group-query-attention">(
    op<"com.microsoft::GroupQueryAttention">(any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_group_query(rewriter, m[outer]); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_attention = rules::decompose_attention.view();

GRAFT_INLINE constinit const RuleView decompose_contrib_attention = rules::decompose_contrib_attention.view();

GRAFT_INLINE constinit const RuleView decompose_multi_head_attention =
    rules::decompose_multi_head_attention.view();

GRAFT_INLINE constinit const RuleView decompose_group_query_attention =
    rules::decompose_group_query_attention.view();

GRAFT_INLINE Pass decompose_attentions() {
  return on_typed_graph("decompose_attentions", sweep(decompose_attention, decompose_contrib_attention,
                                                      decompose_multi_head_attention, decompose_group_query_attention));
}

}  // namespace graft::inline v1
