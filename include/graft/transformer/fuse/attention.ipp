#pragma once
#include <graft/transformer/fuse/attention.hpp>

#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/attention_patterns.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/detail/standard_attention.hpp>
#include <graft/transformer/fuse/batched_transpose.hpp>
#include <graft/transformer/fuse/capped_attention.hpp>
#include <graft/transformer/fuse/extent_of_input.hpp>
#include <graft/transformer/fuse/masked_windows.hpp>
#include <graft/transformer/fuse/merged_heads.hpp>
#include <graft/transformer/fuse/score_forms.hpp>
#include <graft/transformer/fuse/stacked_projections.hpp>
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
    masked(either(op<"Reshape">(comm<"Add">(scaled_scores, merged_bias), any)
                      .with(opt(any_allowzero))
                      .as(split_scores),
                  comm<"Add">(any_scores, score_bias)));

/// The same where nothing joins them.
inline Verdict splits(const Node& raw, const Node* split, const Value& values) {
  return splits_and_joins(raw, split, nullptr, values);
}

// One pattern for both would take clang more steps than it takes by default.
inline constexpr auto biased_attention = rule<"biased-attention">(
    op<"MatMul">(guarded_softmax(masked_biased_scores), value_heads).as(outer),
    where(over_keys, predicate<splits>("")(products, split_scores, value_heads), guards_hidden_rows),
    [](const auto& m, Rewriter& rewriter) {
      return put_found(m, rewriter, m[merged_bias], m[score_bias], false);
    });

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
  const auto retyped = [](std::string name, const Pass& rules) {
    return around(on_typed_graph(std::move(name), rules), [](const Pass& inner, Graph& graph, Context& context) {
      detail::forget_unknown_extents(graph);  // what a rule has changed may say more of them
      return inner.run(graph, context);
    });
  };
  const Pass forms =
      retyped("attention_forms", fixpoint(extent_of_input, batched_transpose, stacked_projections, masked_windows,
                                          products_of_merged_heads, merged_heads, subtracted_mask, scaled_score_bias));
  const Pass fused = retyped("attentions", sweep(attention, biased_attention, capped_attention, standard_attention));
  // A layer of which the batch is known by now makes that of the next one known.
  return pass("fuse_attention", fixpoint(forms) | fused, vocabulary::fused_for = runtime);
}

}  // namespace graft::inline v1
