#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/transformer/detail/attention_patterns.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/hidden_scores.hpp>
#include <graft/transformer/detail/put_attention.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>
#include <graft/transformer/detail/score_addend.hpp>

// What rules of attention put in the place of a match of attention_patterns.hpp.

namespace graft::inline v1::vocabulary {

/// What scores are multiplied by behind their product.
template <class M>
double scale_of_scores(const M& m) {
  if (m[score_factor] != nullptr) return m[score_factor]->constant()->template item<double>();
  return m[score_divisor] != nullptr ? 1 / m[score_divisor]->constant()->template item<double>() : 1;
}

/// Adds the mask to what is added to scores, or hides by it.
template <class M>
Verdict add_mask(const M& m, Value* mask, detail::ScoreAddend& addends) {
  if (m[shown] != nullptr) {
    const bool keeps = m[hidden_fill] != nullptr;
    const auto low = detail::hiding(keeps ? m[hidden_fill] : m[fill_hidden]);
    if (!low) return Verdict::no("what is hidden is not low enough to be added");
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
  if (!found.query.has_heads()) return Verdict::no("batches and heads are not known apart");
  if (m[split_scores] != nullptr &&
      m[split_scores]->output(0)->shape()[1] != found.query.dim(detail::HeadView::heads))
    return Verdict::no("scores are split into other heads");
  const auto by_heads = [&](Value* over, bool is_merged) {
    return over == nullptr || !is_merged ? over : found.mask_by_heads(rewriter, *over, *m[products].output(0));
  };
  const bool are_merged = m[split_scores] == nullptr && m[value_heads].shape().rank() == 3;
  Value *const given = given_mask(m), *const mask = by_heads(given, are_merged);
  Value *const first = by_heads(bias_before_split, true), *const second = by_heads(bias_of_any, are_merged);
  if ((mask == nullptr) != (given == nullptr) || (first == nullptr) != (bias_before_split == nullptr) ||
      (second == nullptr) != (bias_of_any == nullptr))
    return Verdict::no("the mask may be of other batches and heads");
  detail::ScoreAddend addends(rewriter, m[outer], m[value_heads].dtype());
  addends.add(first);
  addends.add(second);
  if (Verdict added = add_mask(m, mask, addends); !added) return added;
  found.mask = addends.sum();
  found.has_guarded_weights = m[unguarded] != nullptr;
  found.wide_softmax = is_wide;
  return detail::put_attention(found, rewriter, false);
}

}  // namespace graft::inline v1::vocabulary
