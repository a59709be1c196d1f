#pragma once
#include <graft/transformer/fuse/capped_attention.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
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
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/put_found.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/detail/score_addend.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

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
