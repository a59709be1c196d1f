#pragma once
#include <graft/transformer/detail/repeated_heads.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

/// Gather(x, [0, 0, 1, 1]) along axis 1.
inline std::optional<RepeatedHeads> gathered_heads(Rewriter& rewriter, const Node& gather) {
  Value* const groups = gather.input(0);
  const auto chosen = rewriter.known_contents().ints(*gather.input(1));
  if (gather.attr<std::int64_t>("axis") != 1 || groups->shape().rank() != 4 || !groups->shape()[1].known() || !chosen)
    return std::nullopt;
  const std::int64_t heads = groups->shape()[1].value(), count = static_cast<std::int64_t>(chosen->size());
  if (gather.input(1)->shape().rank() != 1 || heads == 0 || count % heads != 0) return std::nullopt;
  for (std::int64_t i = 0; i < count; ++i)
    if ((*chosen)[static_cast<std::size_t>(i)] != i / (count / heads)) return std::nullopt;
  return RepeatedHeads{groups, count / heads};
}

/// The source of a value with a new axis 2 of extent 1.
inline Value* before_new_axis(const Value& value) {
  const Node* node = made_by(value, "Unsqueeze");
  if (node == nullptr) node = made_by(value, "Reshape");
  const Shape after = value.shape();
  if (node == nullptr || after.rank() != 5 || after[2] != Dim(1)) return nullptr;
  const Shape before = node->input(0)->shape();
  if (before.rank() != 4) return nullptr;
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (!same_size(before[axis], after[axis < 2 ? axis : axis + 1])) return nullptr;
  return node->input(0);
}

GRAFT_INLINE std::optional<RepeatedHeads> repeated_heads(Rewriter& rewriter, const Value& value) {
  if (value.shape().rank() != 4) return std::nullopt;
  if (const Node* const gather = made_by(value, "Gather", 2)) return gathered_heads(rewriter, *gather);
  const Node* const joined = made_by(value, "Reshape");
  if (joined == nullptr) return std::nullopt;
  const Value& many = *joined->input(0);
  const Node* const node = many.producer();
  const Shape wide = many.shape(), result = value.shape();
  if (node == nullptr || node->input(0) == nullptr) return std::nullopt;
  if (wide.rank() != 5 || !wide[1].known() || !wide[2].known() || wide[2].value() < 1) return std::nullopt;
  const bool repeats =
      node->is("Expand") || node->is("Tile") || (node->is("Concat") && node->attr<std::int64_t>("axis") == 2);
  if (!repeats) return std::nullopt;
  for (const Value* const input : node->inputs())
    if (node->is("Concat") && input != node->input(0)) return std::nullopt;
  Value* const groups = before_new_axis(*node->input(0));
  if (groups == nullptr) return std::nullopt;
  const Shape narrow = node->input(0)->shape();
  for (std::size_t axis = 0; axis < 5; ++axis)
    if (axis != 2 && !same_size(narrow[axis], wide[axis])) return std::nullopt;
  const bool fits = result[1] == Dim(wide[1].value() * wide[2].value()) && same_size(result[0], wide[0]) &&
                    same_size(result[2], wide[3]) && same_size(result[3], wide[4]);
  return fits ? std::optional(RepeatedHeads{groups, wide[2].value()}) : std::nullopt;
}

}  // namespace graft::inline v1::detail
