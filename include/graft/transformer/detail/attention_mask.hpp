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

/// The extents of the scores to which a mask is added: [batch, heads, steps, keys].
struct ScoreExtents {
  Dim batch, heads, steps, keys;
  bool may_be_one = true;  // there may be one batch
};

/// Whether a mask broadcasts to scores without enlarging them. Each extent that differs from the scores is known to be
/// 1 or less, or is that of the keys, which the values have, too, or that of the batches, if these are known not to be
/// one.
Verdict fits_scores(const Value& mask, const ScoreExtents& scores, KnownContents& known);

/// Whether kernels that broadcast only the first two axes of a mask can read it unchanged.
bool has_rows_and_keys(const Value& mask, const ScoreExtents& scores);

/// The mask as [batch or 1, heads or 1, steps, keys]: the mask itself, an Expand that another attention reads already,
/// or a new one. `steps` and `keys` make the extents as i64[1].
template <class Steps, class Keys>
Value& with_rows_and_keys(Rewriter& rewriter, Value& mask, const ScoreExtents& scores, const Node& root, Steps steps,
                          Keys keys);

/// An Expand of the mask to [1, 1, steps, keys] before the root; nullptr if there is none.
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

/// Whether a mask, added to scores of `steps` queries and `keys` keys, is known to hide exactly the keys after each
/// query, and to be 0 elsewhere. `past` keys are before the first query. The mask is a constant, or Where(c, 0, low)
/// with c = LessOrEqual(Range(0, keys), Range(0, steps) + past) or the like; hides_scores(low) holds.
bool is_causal_mask(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps, const Dim& keys);

/// Whether a mask, added to scores of `steps` queries and `keys` keys, is known to hide all keys after each query. It
/// may hide others, for any reason. The forms are those above, and conditions of several parts.
bool hides_later_keys(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps, const Dim& keys);

/// Whether this addend makes the weight of a score 0 beside a score without addend: the lowest number of f16 or
/// less. Models that were converted from f16 to f32 have kept that number.
inline bool hides_scores(double added) { return added <= -65504; }

/// Whether the addend plus any score rounds to the addend: then rows with all keys hidden are the same as by Where. No
/// finite number of f16 has this property.
inline bool absorbs_scores(double added, DType dtype) {
  return added <= (dtype == DType::f16 ? -std::numeric_limits<double>::infinity() : -1e30);
}

/// The addend by which Where hides scores; nullopt if scores would remain visible.
inline std::optional<Tensor> hiding(const Value* fill) {
  const auto number = fill == nullptr ? std::nullopt : fill->constant();
  if (!number || number->size() != 1 || !absorbs_scores(number->item<double>(), number->dtype())) return std::nullopt;
  return number;
}

}  // namespace graft::inline v1::detail
