#pragma once
#include <graft/transformer/fuse/heads_into_attention.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether a Reshape of [batch, steps, heads, size] makes [batch, steps, heads * size] of it.
inline bool joins_heads(const Node& reshape) {
  const Shape apart = reshape.input(0)->shape(), joined = reshape.output(0)->shape();
  if (apart.rank() != 4 || joined.rank() != 3 || !apart[2].known() || !apart[3].known()) return false;
  if (joined[2] != Dim(apart[2].value() * apart[3].value())) return false;
  const auto target = known_ints(*reshape.input(1));
  const bool keeps_zeros = reshape.attr<std::int64_t>("allowzero").value_or(0) == 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const bool copied = keeps_zeros && target && target->size() == 3 && (*target)[axis] == 0;
    if (!copied && !same_size(joined[axis], apart[axis])) return false;
  }
  return true;
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto heads_into_attention = rule<"heads-into-attention">(
    op<"Reshape">(
        op<"Transpose">(op<"Attention">(any, any, any, rest<>).with(any_attributes).as(inner))
            .with(perm == ints(0, 2, 1, 3)),
        any)
        .with(opt(any_allowzero))
        .as(outer),
    [](const auto& m, Rewriter& rewriter) {
      using detail::HeadView;
      const Node& whole = m[inner];
      if (!detail::joins_heads(m[outer])) return Verdict::no("its heads are not joined in their order");
      std::vector<Value*> inputs(whole.inputs().begin(), whole.inputs().end());
      std::array<HeadView, 3> views;
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (inputs[i]->shape().rank() != 4) return Verdict::no("its operands are not known to be of rank 4");
        views[i] = detail::head_view(*inputs[i], false);
        if (views[i].flat == nullptr || views[i].steps_first || views[i].factor != 1)
          return Verdict::no("its operands are not taken apart by heads right before it");
        inputs[i] = views[i].flat;
      }
      for (std::size_t i = 1; i < whole.output_count(); ++i)
        if (whole.output(i)->is_used()) return Verdict::no("it puts out more than the result");
      Node& made = rewriter.clone(whole, inputs);
      rewriter.set_attribute(made, {"q_num_heads", views[0].dim(HeadView::heads).value()});
      rewriter.set_attribute(made, {"kv_num_heads", views[1].dim(HeadView::heads).value()});
      return rewriter.replace(*m[outer].output(0), *made.output(0));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView heads_into_attention = vocabulary::heads_into_attention.view();

GRAFT_INLINE Pass put_heads_into_attention() {
  return on_typed_graph("put_heads_into_attention", sweep(heads_into_attention));
}

}  // namespace graft::inline v1
