#pragma once
#include <graft/transformer/fuse/attention.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/attention_mask.hpp>
#include <graft/transformer/detail/attention_patterns.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/detail/score_addend.hpp>
#include <graft/transformer/fuse/heads.hpp>
#include <graft/transformer/fuse/projections.hpp>
#include <graft/transformer/fuse/scores.hpp>
#include <graft/transformer/fuse/shape.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/hidden_rows.hpp>
#include <graft/vocabulary/reshaping.hpp>
#include <graft/vocabulary/short_mask.hpp>

namespace graft::inline v1 {
namespace rules {

// Replaces a match of attention_patterns.hpp.

/// The factor of scores after their product.
template <class M>
double scale_of_scores(const M& m) {
  if (m[score_factor] != nullptr) return m[score_factor]->constant()->template item<double>();
  return m[score_divisor] != nullptr ? 1 / m[score_divisor]->constant()->template item<double>() : 1;
}

/// Adds the mask to the addend of scores, or hides scores by it.
template <class M>
Verdict add_mask(const M& m, Value* mask, detail::ScoreAddend& addends) {
  if (m[shown] != nullptr) {
    const bool keeps = m[hidden_fill] != nullptr;
    const auto low = detail::hiding(keeps ? m[hidden_fill] : m[fill_hidden]);
    if (!low) return Verdict::no("the scores that it hides by are not low enough");
    addends.hide(*mask, *low, keeps);
  } else {
    addends.add(mask);
  }
  return addends.may_overflow() ? Verdict::no("the sum of its biases and mask may be infinite in f16") : Verdict::yes();
}

template <class M>
Value* given_mask(const M& m) {
  return m[score_mask] != nullptr ? m[score_mask] : m[shown];
}

template <class M>
Verdict put_found(const M& m, Rewriter& rewriter, Value* bias_before_split, Value* bias_of_any, bool is_wide) {
  detail::ScaledDotProduct found;
  found.scale = scale_of_scores(m);
  found.set_operands(m[query_heads], m[key_heads], true, m[value_heads]);
  found.set_result(m[outer]);
  if (!found.query.has_heads()) return Verdict::no("batches and heads are not known to be separate");
  if (m[split_scores] != nullptr && m[split_scores]->output(0)->shape()[1] != found.query.dim(detail::HeadView::heads))
    return Verdict::no("scores are split into other heads");
  const auto by_heads = [&](Value* over, bool is_merged) {
    return over == nullptr || !is_merged ? over : found.mask_by_heads(rewriter, *over, *m[products].output(0));
  };
  const bool are_merged = m[split_scores] == nullptr && m[value_heads].shape().rank() == 3;
  Value *const given = given_mask(m), *const mask = by_heads(given, are_merged);
  Value *const first = by_heads(bias_before_split, true), *const second = by_heads(bias_of_any, are_merged);
  if ((mask == nullptr) != (given == nullptr) || (first == nullptr) != (bias_before_split == nullptr) ||
      (second == nullptr) != (bias_of_any == nullptr))
    return Verdict::no("the mask may have other batches and heads");
  detail::ScoreAddend addends(rewriter, m[outer], m[value_heads].dtype());
  addends.add(first);
  addends.add(second);
  if (Verdict added = add_mask(m, mask, addends); !added) return added;
  found.mask = addends.sum();
  found.has_guarded_weights = m[unguarded] != nullptr;
  found.wide_softmax = is_wide;
  return detail::put_attention(found, rewriter, false);
}

}  // namespace rules

namespace detail {

/// The addend that hides scores where a bool mask is false.
inline Value& addend_of(Rewriter& rewriter, Value& condition, const Node& root, DType dtype) {
  ScoreAddend addends(rewriter, root, dtype);
  addends.hide(condition, Tensor::of<float>(dtype, {}, {-std::numeric_limits<float>::infinity()}), true);
  return *addends.sum();
}

/// The main domain's Attention as products; no if it is not supported.
inline Verdict read_standard_attention(Rewriter& rewriter, Node& node, ScaledDotProduct& found) {
  const auto number = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0); };
  const auto is_used = [&](std::size_t i) { return i < node.output_count() && node.output(i)->is_used(); };
  if (is_used(3)) return Verdict::no("its scores are used");
  if (node.attr<float>("softcap").value_or(0) != 0) return Verdict::no("its scores are capped");
  if (number("softmax_precision") > 1) return Verdict::no("its softmax runs in another type");
  if (node.input(6) != nullptr) return Verdict::no("it has lengths");
  for (const char* const side : {"left_window_size", "right_window_size"})
    if (node.attr<std::int64_t>(side).value_or(-1) >= 0) return Verdict::no("it has a window");
  found.mask = node.input(3);
  if (found.mask != nullptr && found.mask->dtype() == DType::boolean)
    found.mask = &addend_of(rewriter, *found.mask, node, node.input(0)->dtype());
  if (found.mask != nullptr && found.mask->dtype() != node.input(0)->dtype())
    return Verdict::no("its mask has another dtype");
  found.causal = number("is_causal") != 0;
  found.hidden_rows_are_zero = found.mask != nullptr && vocabulary::may_hide_rows(*found.mask, found.causal);
  if (found.hidden_rows_are_zero && found.causal)
    return Verdict::no("it is causal, and its mask may hide all keys of a query");
  if (vocabulary::may_have_short_mask(node, node.input(1)->shape()[HeadView::steps]))
    return Verdict::no("its mask may be shorter than the keys");
  found.set_operands(*node.input(0), *node.input(1), false, *node.input(2));
  const Dim size = found.query.dim(HeadView::size);
  if (!size.known()) return Verdict::no("the size of its heads is not known");
  const auto given = node.attr<float>("scale");
  found.scale *= given ? static_cast<double>(*given) : 1 / std::sqrt(static_cast<double>(size.value()));
  found.set_result(node);
  if (node.input(4) == nullptr && node.input(5) == nullptr) {
    if (is_used(1) || is_used(2)) return Verdict::no("its present keys or values are used");
    const bool square = same_size(found.query.dim(HeadView::steps), found.key.dim(HeadView::steps));
    return square || !found.causal ? Verdict::yes()
                                   : Verdict::no("it is causal, and the numbers of keys and queries differ");
  }
  if (node.input(4) == nullptr || node.input(5) == nullptr || node.output_count() < 3)
    return Verdict::no("it has a past, and its present is unused");
  if (found.key.factor != 1 || found.value.factor != 1)
    return Verdict::no("keys or values are multiplied after their past");
  found.keys_before = ScaledDotProduct::Cache{node.input(4), node.output(1), found.key};
  found.values_before = ScaledDotProduct::Cache{node.input(5), node.output(2), found.value};
  found.key = head_view(*node.output(1), false);
  found.value = head_view(*node.output(2), false);
  return Verdict::yes();
}

}  // namespace detail

namespace rules {

inline constexpr auto attention = rule<"attention">(
    op<"MatMul">(attention_weights, value_heads).as(outer),
    where(over_keys, predicate<splits_and_joins>("")(products, split_scores, joined_again, value_heads),
          guards_hidden_rows, predicate<widens_and_narrows>("")(softmax_widened, softmax_narrowed, value_heads)),
    [](const auto& m, Rewriter& rewriter) {
      return put_found(m, rewriter, nullptr, nullptr, m[softmax_widened] != nullptr);
    });

inline constexpr auto merged_bias = val<"merged_bias">;
inline constexpr auto masked_biased_scores =
    masked(either(op<"Reshape">(comm<"Add">(scaled_scores, merged_bias), any).with(opt(any_allowzero)).as(split_scores),
                  comm<"Add">(any_scores, score_bias)));

/// The same without a Reshape that joins them.
inline Verdict splits(const Node& raw, const Node* split, const Value& values) {
  return splits_and_joins(raw, split, nullptr, values);
}

// One pattern for both would exceed clang's default limit of constexpr steps.
inline constexpr auto biased_attention = rule<"biased-attention">(
    op<"MatMul">(guarded_softmax(masked_biased_scores), value_heads).as(outer),
    where(over_keys, predicate<splits>("")(products, split_scores, value_heads), guards_hidden_rows),
    [](const auto& m, Rewriter& rewriter) { return put_found(m, rewriter, m[merged_bias], m[score_bias], false); });

inline constexpr auto standard_attention = rule<"standard-attention">(
    op<"Attention">(query_heads.rank(4), key_heads.rank(4), value_heads.rank(4), rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      detail::ScaledDotProduct found;
      if (Verdict known = detail::read_standard_attention(rewriter, m[outer], found); !known) return known;
      return detail::put_attention(found, rewriter, true);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView attention = rules::attention.view();

GRAFT_INLINE constinit const RuleView biased_attention = rules::biased_attention.view();

GRAFT_INLINE constinit const RuleView standard_attention = rules::standard_attention.view();

GRAFT_INLINE Pass fuse_attention(const FusedOperators& runtime) {
  constexpr std::array<std::string_view, 4> operators{"com.microsoft::Attention", "com.microsoft::GroupQueryAttention",
                                                      "com.microsoft::MultiHeadAttention", "Attention"};
  const bool has_any =
      std::any_of(operators.begin(), operators.end(), [&](std::string_view each) { return runtime.contains(each); });
  const Pass forms =
      detail::on_retyped_graph("attention_forms", fixpoint(extent_of_input, batched_transpose, stacked_projections,
                                                           masked_windows, products_of_merged_heads, merged_heads,
                                                           subtracted_mask, scaled_score_bias, hidden_then_masked));
  const Pass fused =
      detail::on_retyped_graph("attentions", sweep(attention, biased_attention, capped_attention, standard_attention));
  // The extents of this layer's result may make the forms of the next layer visible.
  const Pass rounds = fixpoint(forms | fused);
  const bool may_be_standard = runtime.contains("Attention");
  return around(pass("fuse_attention", has_any ? rounds : fused, rules::fused_for = runtime),
                [may_be_standard](const Pass& inner, Graph& graph, Context& context) {
                  Report report = inner.run(graph, context);
                  if (may_be_standard && report.rule("capped-attention").applied != 0)
                    report.notes.push_back(
                        "Attention is to cap scores before it masks them, as in onnx 1.23; "
                        "ONNX Runtime before 1.28 caps their sum");
                  return report;
                })
      .named("fuse_attention");
}

namespace rules {

inline constexpr auto cap = cst<"cap">.scalar();
inline constexpr auto inner_factor = cst<"inner_factor">.scalar();
inline constexpr auto inner_divisor = cst<"inner_divisor">.scalar();
inline constexpr auto uncapped_scores =
    either(comm<"Mul">(scaled_scores, inner_factor), op<"Div">(scaled_scores, inner_divisor), scaled_scores);
inline constexpr auto capped_scores = comm<"Mul">(op<"Tanh">(uncapped_scores), cap);
inline constexpr auto masked_capped_scores = masked(capped_scores);
inline constexpr auto wide_capped_scores =
    either(op<"Cast">(masked_capped_scores).with(any_attributes).as(softmax_widened), masked_capped_scores);
inline constexpr auto capped_softmax = op<"Softmax">(wide_capped_scores).with(axis);
inline constexpr auto capped_weights =
    either(op<"Cast">(capped_softmax).with(any_attributes).as(softmax_narrowed), capped_softmax);

inline constexpr auto capped_attention = rule<"capped-attention">(
    op<"MatMul">(capped_weights, value_heads).as(outer),
    where(over_keys, predicate<widens_and_narrows>("")(softmax_widened, softmax_narrowed, value_heads)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      detail::ScaledDotProduct found;
      found.cap = m[cap].constant()->template item<double>();
      if (!(found.cap > 0)) return Verdict::no("the cap is not positive");
      found.scale = scale_of_scores(m) * found.cap;
      if (m[inner_factor] != nullptr) found.scale *= m[inner_factor]->constant()->template item<double>();
      if (m[inner_divisor] != nullptr) found.scale /= m[inner_divisor]->constant()->template item<double>();
      found.set_operands(m[query_heads], m[key_heads], true, m[value_heads]);
      found.set_result(m[outer]);
      if (!found.query.has_heads() || m[value_heads].shape().rank() != 4)
        return Verdict::no("batches and heads are not separate");
      detail::ScoreAddend addends(rewriter, m[outer], m[value_heads].dtype());
      if (Verdict added = add_mask(m, given_mask(m), addends); !added) return added;
      found.mask = addends.sum();
      found.wide_softmax = m[softmax_widened] != nullptr;
      return detail::put_attention(found, rewriter, false);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView capped_attention = rules::capped_attention.view();

}  // namespace graft::inline v1
