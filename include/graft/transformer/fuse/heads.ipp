#pragma once
#include <graft/transformer/fuse/heads.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/extents.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace detail {

/// Whether a Reshape turns [batch, steps, heads, size] into [batch, steps, heads * size].
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

namespace rules {

inline constexpr auto heads_into_attention = rule<"heads-into-attention">(
    op<"Reshape">(op<"Transpose">(op<"Attention">(any, any, any, rest<>).with(any_attributes).as(inner))
                      .with(perm == ints(0, 2, 1, 3)),
                  any)
        .with(opt(any_allowzero))
        .as(outer),
    [](const auto& m, Rewriter& rewriter) {
      using detail::HeadView;
      const Node& whole = m[inner];
      if (!detail::joins_heads(m[outer])) return Verdict::no("its heads are not joined in order");
      std::vector<Value*> inputs(whole.inputs().begin(), whole.inputs().end());
      std::array<HeadView, 3> views;
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (inputs[i]->shape().rank() != 4) return Verdict::no("its operands are not known to have rank 4");
        views[i] = detail::head_view(*inputs[i], false);
        if (views[i].flat == nullptr || views[i].steps_first || views[i].factor != 1)
          return Verdict::no("no Reshape and Transpose before it split its heads");
        inputs[i] = views[i].flat;
      }
      for (std::size_t i = 1; i < whole.output_count(); ++i)
        if (whole.output(i)->is_used()) return Verdict::no("its other outputs are used");
      Node& made = rewriter.clone(whole, inputs);
      rewriter.set_attribute(made, {"q_num_heads", views[0].dim(HeadView::heads).value()});
      rewriter.set_attribute(made, {"kv_num_heads", views[1].dim(HeadView::heads).value()});
      return rewriter.replace(*m[outer].output(0), *made.output(0));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView heads_into_attention = rules::heads_into_attention.view();

GRAFT_INLINE Pass put_heads_into_attention() {
  return on_typed_graph("put_heads_into_attention", sweep(heads_into_attention));
}

namespace detail {

/// Whether a Reshape of [batch, heads, ...] makes batch * heads the first of three extents, by its target or because
/// the others stay.
inline bool multiplies_first_axes(Rewriter& rewriter, const Node& reshape) {
  const Shape from = reshape.input(0)->shape();
  if (merges_heads(from, reshape.output(0)->shape())) return true;
  const Node* const target = reshape.input(1) == nullptr ? nullptr : made_by(*reshape.input(1), "Concat");
  if (from.rank() != 4 || target == nullptr || target->input_count() != 3) return false;
  const Value* first = target->input(0);
  if (const Node* const node = first == nullptr ? nullptr : made_by(*first, "Unsqueeze")) first = node->input(0);
  const Node* const product = first == nullptr ? nullptr : made_by(*first, "Mul", 2);
  if (product == nullptr) return false;
  const auto is_extent = [&](const Value* factor, std::size_t axis) {
    const Contents* const known = rewriter.known_contents().contents(*factor);
    return known != nullptr && known->elements.size() == 1 && same_value(known->elements[0], Integer(from[axis]));
  };
  return (is_extent(product->input(0), 0) && is_extent(product->input(1), 1)) ||
         (is_extent(product->input(0), 1) && is_extent(product->input(1), 0));
}

/// Whether this node alone reads the elements of a product, so that they are not computed twice. Other nodes may read
/// its shape.
inline bool is_read_only_by(const Value& product, const Node& reader) {
  if (product.is_graph_output()) return false;
  const auto users = product.users();
  return std::all_of(users.begin(), users.end(),
                     [&](const Node& user) { return &user == &reader || user.is("Shape"); });
}

/// Infers dependents, because the forms of the next layer may become visible only then.
inline Verdict replace_and_infer(Rewriter& rewriter, Value& old, Value& by) {
  Verdict done = rewriter.replace(old, by);
  if (done) infer_behind(rewriter, by);
  return done;
}

}  // namespace detail

namespace rules {

inline constexpr auto merged_heads = rule<"merged-heads">(
    op<"Reshape">(x.rank(4), any).with(opt(any_allowzero)).as(outer), [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Shape apart = m[x].shape(), merged = m[outer].output(0)->shape();
      if (merged.rank() != 3 || !apart[3].known() || apart[3] != merged[2])
        return Verdict::no("it does not keep the size of heads");
      if (apart[2] == Dim() || same_size(apart[2], merged[1]))
        return Verdict::no("the steps are known already, or cannot be known");
      if (!detail::multiplies_first_axes(rewriter, m[outer]))
        return Verdict::no("its first extent is not known to be batches by heads");
      Value& target = rewriter.op(
          "Concat", {&rewriter.ints({-1}), &detail::extent(rewriter, m[x], 2), &rewriter.ints({apart[3].value()})},
          {{"axis", 0}});
      Value& made = rewriter.op("Reshape", {&m[x], &target});
      const std::vector<Dim> dims{merged[0], apart[2], apart[3]};
      rewriter.set_type(made, tensor_type(m[x].dtype(), Shape(dims)));
      return detail::replace_and_infer(rewriter, *m[outer].output(0), made);
    });

inline constexpr auto merged_right = node<"merged_right">;
inline constexpr auto products_of_merged_heads = rule<"products-of-merged-heads">(
    op<"Reshape">(
        op<"MatMul">(
            op<"Reshape">(x.rank(4), any).with(opt(any_allowzero)).as(inner).shared(),
            op<"Reshape">(y.rank(4), any).with(opt(any_allowzero.named<"right_allowzero">())).as(merged_right).shared())
            .shared(),
        any)
        .with(opt(any_allowzero.named<"outer_allowzero">()))
        .as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Shape left_heads = m[x].shape(), right_heads = m[y].shape(), made = m[outer].output(0)->shape();
      const Shape left_merged = m[inner].output(0)->shape(), right_merged = m[merged_right].output(0)->shape();
      if (left_merged.rank() != 3 || right_merged.rank() != 3 || made.rank() != 4)
        return Verdict::no("heads are not merged and split");
      if (!detail::is_read_only_by(*m[outer].input(0), m[outer])) return Verdict::no("the product is also used");
      const bool same_batch = same_size(left_heads[0], right_heads[0]) && same_size(left_heads[1], right_heads[1]);
      if (!same_batch || !left_heads[1].known() || left_heads[1] != made[1])
        return Verdict::no("batches or heads may change");
      const bool keeps = same_size(left_heads[2], left_merged[1]) && same_size(right_heads[3], right_merged[2]) &&
                         same_size(left_heads[2], made[2]) && same_size(right_heads[3], made[3]);
      if (!keeps) return Verdict::no("steps or sizes may change");
      for (const Node* const merging : {&m[inner], &m[merged_right]})
        if (!detail::multiplies_first_axes(rewriter, *merging))
          return Verdict::no("a first extent is not known to be batches by heads");
      Value& product = rewriter.op("MatMul", {&m[x], &m[y]});
      const std::vector<Dim> dims{left_heads[0], left_heads[1], left_heads[2], right_heads[3]};
      rewriter.set_type(product, tensor_type(m[x].dtype(), Shape(dims)));
      return detail::replace_and_infer(rewriter, *m[outer].output(0), product);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView merged_heads = rules::merged_heads.view();
GRAFT_INLINE constinit const RuleView products_of_merged_heads = rules::products_of_merged_heads.view();

}  // namespace graft::inline v1
