#pragma once
#include <graft/transformer/fuse/expand_attention_masks.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/attention_mask.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/short_mask.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// Whether the mask has one row where there may be more queries, or one key where there may be more.
inline Verdict may_broadcast(const Node& node) {
  const Shape query = node.input(0)->shape(), key = node.input(1)->shape(), mask = node.input(3)->shape();
  if (query.rank() != 4 || key.rank() != 4) return Verdict::no("queries and keys are not known to be of rank 4");
  if (mask.rank() < 2 || mask.rank() > 4) return Verdict::no("the mask is not known to be of rank 2 to 4");
  const bool one_row = mask[mask.rank() - 2] == Dim(1), one_key = mask[mask.rank() - 1] == Dim(1);
  if (!one_row && !one_key) return Verdict::no("the mask is not known to have one row or one key");
  const bool few_rows = one_row && query[2] != Dim(1);
  const bool few_keys = one_key && (node.input(4) != nullptr || key[2] != Dim(1));
  if (!few_rows && !few_keys) return Verdict::no(one_row ? "there is one query" : "there is one key");
  if (may_have_short_mask(node, key[2])) return Verdict::no("the mask may have fewer keys than there are");
  return Verdict::yes();
}

inline constexpr auto expand_attention_mask = rule<"expand-attention-mask">(
    op<"Attention">(any, any, any, y, rest<>).with(any_attributes).as(outer),
    where(predicate<may_broadcast>("")(outer)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      Node& node = m[outer];
      const Shape query = node.input(0)->shape(), key = node.input(1)->shape(), mask = m[y].shape();
      Value* const past = node.input(4);
      // Behind a past, so many as the mask has, unless that broadcasts along them.
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

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView expand_attention_mask = vocabulary::expand_attention_mask.view();

GRAFT_INLINE Pass expand_attention_masks() {
  return on_typed_graph("expand_attention_masks", sweep(expand_attention_mask));
}

}  // namespace graft::inline v1
