#pragma once
#include <graft/transformer/fuse/scores.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
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
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/attention_mask.hpp>
#include <graft/transformer/detail/attention_patterns.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/score_addend.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>
#include <graft/vocabulary/short_mask.hpp>

namespace graft::inline v1 {
namespace rules {

inline bool is_read_by_product(const Node& softmax) {
  const Value& weights = *softmax.output(0);
  if (!weights.has_one_use() || weights.is_graph_output()) return false;
  const Node& reader = *weights.users().begin();
  return reader.is("MatMul") && reader.input(0) == &weights;
}

/// Without a product with values there is no attention, and the forms would cost a node each.
inline constexpr auto weighs_values =
    where(predicate<is_read_by_product>("the weights are not read by one product alone")(probabilities));
inline constexpr auto subtracted = node<"subtracted">;
inline constexpr auto score_sum = comm<"Add">(raw_scores, score_bias);
inline constexpr auto scaled_sum = node<"scaled_sum">;
inline constexpr auto scaled_score_sum =
    either(comm<"Mul">(score_sum, score_factor).as(scaled_sum), op<"Div">(score_sum, score_divisor).as(scaled_sum));

inline constexpr auto subtracted_mask = rule<"subtracted-mask">(
    op<"Softmax">(op<"Sub">(either(comm<"Add">(scaled_scores, score_bias), scaled_score_sum, scaled_scores), score_mask)
                      .as(subtracted))
        .with(axis)
        .as(probabilities),
    weighs_values, [](const auto& m, Rewriter& rewriter) -> Verdict {
      rewriter.at(m[subtracted]);
      Value& negated = rewriter.op("Neg", {&m[score_mask]});
      return rewriter.replace(*m[subtracted].output(0), rewriter.op("Add", {m[subtracted].input(0), &negated}));
    });

inline constexpr auto scaled_score_bias = rule<"scaled-score-bias">(
    op<"Softmax">(masked(scaled_score_sum)).with(axis).as(probabilities), weighs_values,
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      Node& node = m[scaled_sum];
      const bool divides = m[score_divisor] != nullptr;
      Value& by = divides ? *m[score_divisor] : *m[score_factor];
      const double size = std::abs(by.constant()->template item<double>());
      if (divides ? size < 1 : !(size <= 1)) return Verdict::no("the scale may make a bias infinite");
      rewriter.at(node);
      const auto scaled = [&](Value& value) -> Value& { return rewriter.op(node.op_type(), {&value, &by}); };
      Value& sum = rewriter.op("Add", {&scaled(*m[products].output(0)), &scaled(m[score_bias])});
      return rewriter.replace(*node.output(0), sum);
    });

inline constexpr auto hiding_scores = node<"hiding_scores">;
inline constexpr auto hidden_sum = node<"hidden_sum">;
inline constexpr auto biased_scores = either(comm<"Add">(any_scores, score_bias), any_scores);

inline constexpr auto hidden_then_masked = rule<"hidden-then-masked">(
    op<"Softmax">(comm<"Add">(either(op<"Where">(shown, biased_scores, hidden_fill).as(hiding_scores),
                                     op<"Where">(shown, fill_hidden, biased_scores).as(hiding_scores)),
                              score_mask)
                      .as(hidden_sum))
        .with(axis)
        .as(probabilities),
    weighs_values, [](const auto& m, Rewriter& rewriter) -> Verdict {
      const bool keeps = m[hidden_fill] != nullptr;
      const auto low = detail::hiding(keeps ? m[hidden_fill] : m[fill_hidden]);
      if (!low) return Verdict::no("the scores that it hides by are not low enough");
      rewriter.at(m[hidden_sum]);
      detail::ScoreAddend addends(rewriter, m[hidden_sum], low->dtype());
      addends.hide(m[shown], *low, keeps);
      addends.add(&m[score_mask]);
      Value& sum = rewriter.op("Add", {m[hiding_scores].input(keeps ? 1 : 2), addends.sum()});
      return rewriter.replace(*m[hidden_sum].output(0), sum);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView subtracted_mask = rules::subtracted_mask.view();
GRAFT_INLINE constinit const RuleView scaled_score_bias = rules::scaled_score_bias.view();
GRAFT_INLINE constinit const RuleView hidden_then_masked = rules::hidden_then_masked.view();

namespace detail {

/// Whether a node multiplies by one number, or adds: operations that attention includes.
inline bool scales_or_adds(const Node& node) {
  if (node.is("Add")) return true;
  if (!node.is("Mul") && !node.is("Div")) return false;
  const auto is_number = [](const Value* operand) { return operand->constant() && operand->constant()->size() == 1; };
  return is_number(node.input(1)) || (node.is("Mul") && is_number(node.input(0)));
}

/// The operand with as many windows as the node's result; nullptr if there is none.
inline Value* operand_of_windows(const Node& node, const Dim& windows) {
  for (Value* const operand : node.inputs()) {
    const Shape shape = operand == nullptr ? Shape() : operand->shape();
    if (shape.known() && shape.rank() > 1 && same_size(shape[0], windows)) return operand;
  }
  return nullptr;
}

/// A value with as many windows that the scores depend on, for its shape; nullptr if the scores are not a product,
/// scaled and added to.
inline Value* source_of_windows(Value& scores) {
  const Dim windows = scores.shape()[0];
  Value* source = &scores;
  bool is_product = false;
  for (int steps = 0; steps < 16 && source->producer() != nullptr; ++steps) {  // more than in any attention
    const Node& producer = *source->producer();
    is_product = is_product || producer.is("MatMul");
    if (!is_product && !scales_or_adds(producer)) return nullptr;
    Value* const operand = operand_of_windows(producer, windows);
    if (operand == nullptr) break;
    source = operand;
  }
  return is_product ? source : nullptr;
}

}  // namespace detail

namespace rules {

inline constexpr auto window_scores = val<"window_scores">.rank(4);
inline constexpr auto window_mask = val<"window_mask">;

inline Verdict masks_windows(const Value& scores, const Node& apart, const Value& mask, const Node& together) {
  const auto split = apart.output(0)->shape(), whole = scores.shape(), joined = together.output(0)->shape();
  const auto extents = mask.shape().dims();
  if (split.rank() != 5 || joined.rank() != 4 || !extents || extents->size() != 5)
    return Verdict::no("windows are not split, or the mask is not known to have rank 5");
  for (std::size_t i = 1; i < 4; ++i) {
    if (!whole[i].known() || whole[i] == Dim(0)) return Verdict::no("an extent of the scores is not known, or 0");
    if (split[i + 1] != whole[i] || joined[i] != whole[i])
      return Verdict::no("scores are reshaped to other heads, steps or keys");
  }
  const bool per_head = (*extents)[2] != 1;
  const bool fits = (*extents)[0] == 1 && split[1] == Dim((*extents)[1]) && (*extents)[1] > 0 &&
                    (!per_head || whole[1] == Dim((*extents)[2])) && whole[2] == Dim((*extents)[3]) &&
                    whole[3] == Dim((*extents)[4]);
  return fits ? Verdict::yes() : Verdict::no("the extents of the mask and the windows differ");
}

inline bool is_softmax_of(const Node& together) {
  return together.output(0)->has_one_use() && !together.output(0)->is_graph_output() &&
         (*together.output(0)->users().begin()).is("Softmax");
}

inline constexpr auto masked_windows = rule<"masked-windows">(
    op<"Reshape">(comm<"Add">(op<"Reshape">(window_scores, any).with(opt(any_allowzero)).as(inner), window_mask), any)
        .with(opt(any_allowzero.named<"outer_allowzero">()))
        .as(outer),
    where(predicate<masks_windows>("")(window_scores, inner, window_mask, outer),
          predicate<is_softmax_of>("no Softmax reads the masked scores")(outer)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      Value &scores = m[window_scores], &mask = m[window_mask];
      Value* const source = detail::source_of_windows(scores);
      if (source == nullptr) return Verdict::no("the scores are not those of attention");
      const Dims dims = *mask.shape().dims();
      Value& windows = detail::extent(rewriter, *source, 0);
      Value& images = rewriter.op("Div", {&windows, &rewriter.ints({dims[1]})});
      Value& repeats = rewriter.op("Concat", {&images, &rewriter.ints({1, 1, 1, 1})}, {{"axis", 0}});
      Value& target = rewriter.op("Concat", {&windows, &rewriter.ints({dims[2], dims[3], dims[4]})}, {{"axis", 0}});
      Value& repeated = rewriter.op("Reshape", {&rewriter.op("Expand", {&mask, &repeats}), &target});
      const std::vector<Dim> known{scores.shape()[0], Dim(dims[2]), Dim(dims[3]), Dim(dims[4])};
      rewriter.set_type(repeated, tensor_type(mask.dtype(), Shape(known)));
      return rewriter.replace(*m[outer].output(0), rewriter.op("Add", {&scores, &repeated}));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView masked_windows = rules::masked_windows.view();

namespace rules {

/// Whether the mask has one row for possibly several queries, or one key for possibly several keys.
inline Verdict may_broadcast(const Node& node) {
  const Shape query = node.input(0)->shape(), key = node.input(1)->shape(), mask = node.input(3)->shape();
  if (query.rank() != 4 || key.rank() != 4) return Verdict::no("queries and keys are not known to be of rank 4");
  if (mask.rank() < 2 || mask.rank() > 4) return Verdict::no("the mask is not known to be of rank 2 to 4");
  const bool one_row = mask[mask.rank() - 2] == Dim(1), one_key = mask[mask.rank() - 1] == Dim(1);
  if (!one_row && !one_key) return Verdict::no("the mask is not known to have one row or one key");
  const bool few_rows = one_row && query[2] != Dim(1);
  const bool few_keys = one_key && (node.input(4) != nullptr || key[2] != Dim(1));
  if (!few_rows && !few_keys) return Verdict::no(one_row ? "there is one query" : "there is one key");
  if (may_have_short_mask(node, key[2])) return Verdict::no("the mask may be shorter than the keys");
  return Verdict::yes();
}

inline constexpr auto expand_attention_mask = rule<"expand-attention-mask">(
    op<"Attention">(any, any, any, y, rest<>).with(any_attributes).as(outer),
    where(predicate<may_broadcast>("")(outer)), [](const auto& m, Rewriter& rewriter) -> Verdict {
      Node& node = m[outer];
      const Shape query = node.input(0)->shape(), key = node.input(1)->shape(), mask = m[y].shape();
      Value* const past = node.input(4);
      // After a past, the number of keys is that of the mask, unless the mask broadcasts along keys.
      const Dim seen = mask[mask.rank() - 1], keys = past == nullptr ? key[2] : seen == Dim(1) ? Dim() : seen;
      const auto count_keys = [&]() -> Value& {
        Value& fresh = detail::extent(rewriter, *node.input(1), 2);
        return past == nullptr ? fresh : rewriter.op("Add", {&detail::extent(rewriter, *past, 2), &fresh});
      };
      const auto count_steps = [&]() -> Value& { return detail::extent(rewriter, *node.input(0), 2); };
      Value& whole =
          detail::with_rows_and_keys(rewriter, m[y], {{}, {}, query[2], keys}, node, count_steps, count_keys);
      rewriter.set_input(node.use(3), &whole);
      return Verdict::yes();
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView expand_attention_mask = rules::expand_attention_mask.view();

GRAFT_INLINE Pass expand_attention_masks() {
  return on_typed_graph("expand_attention_masks", sweep(expand_attention_mask));
}

}  // namespace graft::inline v1
