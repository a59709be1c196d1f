#pragma once
#include <graft/transformer/fuse/attention.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
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
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/hidden_scores.hpp>
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/fuse/batched_transpose.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// What Where adds to scores where it does not keep them; nullopt if they would be seen through it.
inline std::optional<Tensor> hiding(const Value* fill) {
  const auto number = fill == nullptr ? std::nullopt : fill->constant();
  if (!number || number->size() != 1 || !hides_scores(number->item<double>(), number->dtype())) return std::nullopt;
  return number;
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto query_heads = val<"query_heads">.rank(4);
inline constexpr auto key_heads = val<"key_heads">.rank(4);
inline constexpr auto value_heads = val<"value_heads">.rank(4);
inline constexpr auto score_mask = val<"score_mask">;
inline constexpr auto shown = val<"shown">;
inline constexpr auto score_factor = cst<"score_factor">.scalar();
inline constexpr auto score_divisor = cst<"score_divisor">.scalar();
inline constexpr auto hidden_fill = cst<"hidden_fill">.scalar();
inline constexpr auto fill_hidden = cst<"fill_hidden">.scalar();

inline constexpr auto raw_scores = op<"MatMul">(query_heads, key_heads);
inline constexpr auto scaled_scores =
    either(comm<"Mul">(raw_scores, score_factor), op<"Div">(raw_scores, score_divisor), raw_scores);
inline constexpr auto masked_scores =
    either(comm<"Add">(scaled_scores, score_mask), op<"Where">(shown, scaled_scores, hidden_fill),
           op<"Where">(shown, fill_hidden, scaled_scores), scaled_scores);

inline bool is_last_of_four(std::int64_t along) { return along == 3; }

inline constexpr auto attention =
    rule<"attention">(op<"MatMul">(op<"Softmax">(masked_scores).with(axis), value_heads).as(outer),
                      where(predicate<is_last_of_four>("the softmax is not over keys")(axis)),
                      [](const auto& m, Rewriter& rewriter) -> Verdict {
                        detail::ScaledDotProduct found;
                        if (m[score_factor] != nullptr)
                          found.scale = m[score_factor]->constant()->template item<double>();
                        if (m[score_divisor] != nullptr)
                          found.scale = 1 / m[score_divisor]->constant()->template item<double>();
                        found.set_operands(m[query_heads], m[key_heads], true, m[value_heads]);
                        found.set_result(m[outer]);
                        found.mask = m[score_mask];
                        if (m[shown] != nullptr) {
                          const bool keeps = m[hidden_fill] != nullptr;
                          const auto low = detail::hiding(keeps ? m[hidden_fill] : m[fill_hidden]);
                          if (!low) return Verdict::no("what is hidden is not low enough to be added");
                          found.mask = &detail::added_mask(rewriter, *m[shown], *low, keeps, m[outer]);
                        }
                        return detail::put_attention(found, rewriter, false);
                      });

inline constexpr auto standard_attention = rule<"standard-attention">(
    op<"Attention">(query_heads, key_heads, value_heads, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      detail::ScaledDotProduct found;
      if (Verdict known = detail::read_standard_attention(m[outer], found); !known) return known;
      return detail::put_attention(found, rewriter, true);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView attention = vocabulary::attention.view();

GRAFT_INLINE constinit const RuleView standard_attention = vocabulary::standard_attention.view();

GRAFT_INLINE Pass fuse_attention(const FusedOperators& runtime) {
  const Pass rules = fixpoint(batched_transpose) | sweep(attention, standard_attention);
  return on_typed_graph("fuse_attention", pass("fuse_attention", rules, vocabulary::fused_for = runtime));
}

}  // namespace graft::inline v1
