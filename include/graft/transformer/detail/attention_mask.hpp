#pragma once
#include <cstdint>

#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// The scores that a mask is added to: [batch, heads, steps, keys].
struct ScoreExtents {
  Dim batch, heads, steps, keys;
  bool may_be_one = true;  // whether there may be one batch
};

/// Whether a mask broadcasts to scores without making more of them: what differs from them is known to be 1, or fewer,
/// or stands for the keys, which the values count too, or for the batches, where these are known not to be one.
Verdict fits_scores(const Value& mask, const ScoreExtents& scores, KnownContents& known);

/// Whether kernels that broadcast a mask along its first two axes only can read it as it is.
bool has_rows_and_keys(const Value& mask, const ScoreExtents& scores);

/// The mask as [batch or 1, heads or 1, steps, keys]: itself, an Expand that another attention reads already, or a new
/// one. `steps` and `keys` make the extents as i64[1].
template <class Steps, class Keys>
Value& with_rows_and_keys(Rewriter& rewriter, Value& mask, const ScoreExtents& scores, const Node& root, Steps steps,
                          Keys keys);

/// An Expand of the mask to [1, 1, steps, keys] in front of the root; nullptr if there is none.
Value* expanded_mask(Rewriter& rewriter, const Value& mask, const ScoreExtents& scores, const Node& root);

template <class Steps, class Keys>
Value& with_rows_and_keys(Rewriter& rewriter, Value& mask, const ScoreExtents& scores, const Node& root, Steps steps,
                          Keys keys) {
  if (has_rows_and_keys(mask, scores)) return mask;
  if (Value* const made = expanded_mask(rewriter, mask, scores, root)) return *made;
  Value& ones = rewriter.constant(Tensor::of<std::int64_t>({2}, {1, 1}), "ones");
  Value& target = rewriter.op("Concat", {&ones, &steps(), &keys()}, {{"axis", 0}});
  return rewriter.op("Expand", {&mask, &target});
}

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/attention_mask.ipp>
#endif
