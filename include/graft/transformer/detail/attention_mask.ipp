#pragma once
#include <graft/transformer/detail/attention_mask.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Verdict fits_scores(const Value& mask, const ScoreExtents& scores) {
  const Shape shape = mask.shape();
  if (!shape.known() || shape.rank() > 4) return Verdict::no("the mask is not known to be of rank 4 or less");
  const std::array wanted{scores.batch, scores.heads, scores.steps};
  for (std::size_t axis = 0; axis + 1 < shape.rank(); ++axis) {
    const Dim dim = shape[axis], score = wanted[axis + 4 - shape.rank()];
    if (axis + 4 == shape.rank() && !scores.may_be_one) continue;
    if (dim != Dim(1) && !same_size(dim, score)) return Verdict::no("the mask may have more elements than the scores");
  }
  return Verdict::yes();
}

GRAFT_INLINE bool has_rows_and_keys(const Value& mask, const ScoreExtents& scores) {
  const Shape shape = mask.shape();
  return shape.rank() == 4 && same_size(shape[2], scores.steps) && same_size(shape[3], scores.keys);
}

GRAFT_INLINE Value* expanded_mask(Rewriter& rewriter, const Value& mask, const ScoreExtents& scores, const Node& root) {
  const std::array wanted{Integer(1), Integer(1), Integer(scores.steps), Integer(scores.keys)};
  for (Node& user : mask.users()) {
    if (!user.is("Expand") || &user.graph() != &root.graph() || !user.before(root)) continue;
    const Contents* const target = rewriter.known_contents().contents(*user.input(1));
    if (target == nullptr || target->elements.size() != wanted.size()) continue;
    if (std::equal(wanted.begin(), wanted.end(), target->elements.begin(), same_value)) return user.output(0);
  }
  return nullptr;
}

}  // namespace graft::inline v1::detail
