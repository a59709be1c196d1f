#pragma once
#include <graft/transformer/fuse/attention.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
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
#include <graft/transformer/detail/attention_patterns.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/put_found.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/detail/score_addend.hpp>
#include <graft/transformer/detail/standard_attention.hpp>
#include <graft/transformer/fuse/heads.hpp>
#include <graft/transformer/fuse/projections.hpp>
#include <graft/transformer/fuse/scores.hpp>
#include <graft/transformer/fuse/shape.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace vocabulary {

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

/// The same where nothing joins them.
inline Verdict splits(const Node& raw, const Node* split, const Value& values) {
  return splits_and_joins(raw, split, nullptr, values);
}

// One pattern for both would take clang more steps than it takes by default.
inline constexpr auto biased_attention = rule<"biased-attention">(
    op<"MatMul">(guarded_softmax(masked_biased_scores), value_heads).as(outer),
    where(over_keys, predicate<splits>("")(products, split_scores, value_heads), guards_hidden_rows),
    [](const auto& m, Rewriter& rewriter) { return put_found(m, rewriter, m[merged_bias], m[score_bias], false); });

inline constexpr auto standard_attention = rule<"standard-attention">(
    op<"Attention">(query_heads.rank(4), key_heads.rank(4), value_heads.rank(4), rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      detail::ScaledDotProduct found;
      if (Verdict known = detail::read_standard_attention(m[outer], found); !known) return known;
      return detail::put_attention(found, rewriter, true);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView attention = vocabulary::attention.view();

GRAFT_INLINE constinit const RuleView biased_attention = vocabulary::biased_attention.view();

GRAFT_INLINE constinit const RuleView standard_attention = vocabulary::standard_attention.view();

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
  // The next layer's forms may show only by the extents of this one's result.
  const Pass rounds = fixpoint(forms | fused);
  const bool may_be_standard = runtime.contains("Attention");
  return around(pass("fuse_attention", has_any ? rounds : fused, vocabulary::fused_for = runtime),
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

namespace vocabulary {

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
        return Verdict::no("batches and heads are not apart");
      detail::ScoreAddend addends(rewriter, m[outer], m[value_heads].dtype());
      if (Verdict added = add_mask(m, given_mask(m), addends); !added) return added;
      found.mask = addends.sum();
      found.wide_softmax = m[softmax_widened] != nullptr;
      return detail::put_attention(found, rewriter, false);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView capped_attention = vocabulary::capped_attention.view();

}  // namespace graft::inline v1
