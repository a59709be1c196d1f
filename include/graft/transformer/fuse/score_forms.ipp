#pragma once
#include <graft/transformer/fuse/score_forms.hpp>

#include <cmath>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/attention_patterns.hpp>
#include <graft/transformer/detail/hidden_scores.hpp>
#include <graft/transformer/detail/score_addend.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool is_read_by_product(const Node& softmax) {
  const Value& weights = *softmax.output(0);
  if (!weights.has_one_use() || weights.is_graph_output()) return false;
  const Node& reader = *weights.users().begin();
  return reader.is("MatMul") && reader.input(0) == &weights;
}

/// Without a product with values there is no attention, and the forms cost a node each.
inline constexpr auto weighs_values =
    where(predicate<is_read_by_product>("no product alone reads the weights")(probabilities));
inline constexpr auto subtracted = node<"subtracted">;
inline constexpr auto score_sum = comm<"Add">(raw_scores, score_bias);
inline constexpr auto scaled_sum = node<"scaled_sum">;
inline constexpr auto scaled_score_sum = either(comm<"Mul">(score_sum, score_factor).as(scaled_sum),
                                                op<"Div">(score_sum, score_divisor).as(scaled_sum));

inline constexpr auto subtracted_mask = rule<"subtracted-mask">(
    op<"Softmax">(
        op<"Sub">(either(comm<"Add">(scaled_scores, score_bias), scaled_score_sum, scaled_scores), score_mask)
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
      if (!low) return Verdict::no("what is hidden is not low enough to be added");
      rewriter.at(m[hidden_sum]);
      detail::ScoreAddend addends(rewriter, m[hidden_sum], low->dtype());
      addends.hide(m[shown], *low, keeps);
      addends.add(&m[score_mask]);
      Value& sum = rewriter.op("Add", {m[hiding_scores].input(keeps ? 1 : 2), addends.sum()});
      return rewriter.replace(*m[hidden_sum].output(0), sum);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView subtracted_mask = vocabulary::subtracted_mask.view();
GRAFT_INLINE constinit const RuleView scaled_score_bias = vocabulary::scaled_score_bias.view();
GRAFT_INLINE constinit const RuleView hidden_then_masked = vocabulary::hidden_then_masked.view();

}  // namespace graft::inline v1
