#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include <graft/graph/dtype.hpp>
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

/// Whether a mask, to be added to scores of `steps` queries and `keys` keys, is known to hide the keys behind each
/// query, with 0 elsewhere, and to hide nothing else. So many keys as `past` are in front of the first query. A
/// constant is, or Where(c, 0, low) with c = LessOrEqual(Range(0, keys), Range(0, steps) + past) or the like; low is
/// below -1e30, in f16 the lowest.
bool is_causal_mask(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps, const Dim& keys);

/// Whether a score to which this is added weighs nothing beside one to which nothing is.
inline bool hides_scores(double added, DType dtype) { return added <= (dtype == DType::f16 ? -65504 : -1e30); }

/// Whether the sum with any score is the number itself, by rounding: then rows in which it hides all keys are the same
/// as by Where. No finite number of f16 does that.
inline bool absorbs_scores(double added, DType dtype) {
  return added <= (dtype == DType::f16 ? -std::numeric_limits<double>::infinity() : -1e30);
}

/// What Where adds to scores where it does not keep them; nullopt if they would be seen through it.
inline std::optional<Tensor> hiding(const Value* fill) {
  const auto number = fill == nullptr ? std::nullopt : fill->constant();
  if (!number || number->size() != 1 || !absorbs_scores(number->item<double>(), number->dtype())) return std::nullopt;
  return number;
}

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/attention_mask.ipp>
#endif
