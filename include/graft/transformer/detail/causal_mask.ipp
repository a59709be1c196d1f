#pragma once
#include <graft/transformer/detail/causal_mask.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/transformer/detail/hidden_scores.hpp>
#include <graft/transformer/detail/known_element.hpp>

namespace graft::inline v1::detail {

inline bool is_constant_causal(const Tensor& mask, const Dim& past, const Dim& steps, const Dim& keys) {
  if (!past.known() || !steps.known() || !keys.known() || mask.rank() < 2) return false;
  const std::size_t rank = mask.rank();
  if (mask.dims()[rank - 2] != steps.value() || mask.dims()[rank - 1] != keys.value() ||
      mask.size() != steps.value() * keys.value())
    return false;
  const std::vector<double> added = mask.to<double>();
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    const bool behind = i % keys.value() > past.value() + i / keys.value();
    const double each = added[static_cast<std::size_t>(i)];
    if (behind ? !hides_scores(each, mask.dtype()) : each != 0) return false;
  }
  return true;
}

inline bool is_integer(Rewriter& rewriter, const Value* value, const Integer& wanted) {
  return same_value(element(value, rewriter.known_contents()), wanted);
}

/// first, first + 1 ... so many: a Range, or what is known of the elements.
inline bool counts_from(Rewriter& rewriter, const Value& value, const Dim& first, const Dim& count) {
  const Node* const node = value.producer();
  const bool is_range = node != nullptr && node->is("Range") && value.shape().rank() == 1 &&
                        same_size(value.shape()[0], count) && is_integer(rewriter, node->input(0), Integer(first)) &&
                        is_integer(rewriter, node->input(2), Integer(1));
  if (is_range) return true;
  const auto known = first.known() && count.known() ? rewriter.known_contents().ints(value) : std::nullopt;
  if (!known || static_cast<std::int64_t>(known->size()) != count.value()) return false;
  for (std::int64_t i = 0; i < count.value(); ++i)
    if ((*known)[static_cast<std::size_t>(i)] != first.value() + i) return false;
  return true;
}

/// The same, or a first that is added to what counts from 0.
inline bool counts(Rewriter& rewriter, const Value& value, const Dim& first, const Dim& count) {
  const Value& counted = *behind_reshaping(&value);
  if (counts_from(rewriter, counted, first, count)) return true;
  const Node* const node = made_by(counted, "Add", 2);
  if (node == nullptr) return false;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (is_integer(rewriter, node->input(1 - i), Integer(first)) &&
        counts_from(rewriter, *behind_reshaping(node->input(i)), Dim(0), count))
      return true;
  }
  return false;
}

GRAFT_INLINE bool is_causal_mask(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps,
                                 const Dim& keys) {
  if (const auto constant = mask.constant()) return is_constant_causal(*constant, past, steps, keys);
  const Node* const chosen = made_by(*behind_reshaping(&mask), "Where", 3);
  if (chosen == nullptr) return false;
  const Node* compared = behind_reshaping(chosen->input(0))->producer();
  bool keeps = true;
  if (compared != nullptr && compared->is("Not") && compared->input(0) != nullptr) {
    keeps = false;
    compared = compared->input(0)->producer();
  }
  if (compared == nullptr || compared->input(0) == nullptr || compared->input(1) == nullptr) return false;
  // c holds where a key is no later than the query, or where it is later.
  const bool less = compared->is("LessOrEqual") || compared->is("Greater");
  if (!less && !compared->is("GreaterOrEqual") && !compared->is("Less")) return false;
  if (compared->is("Greater") || compared->is("Less")) keeps = !keeps;
  const Value &columns = *compared->input(less ? 0 : 1), &rows = *compared->input(less ? 1 : 0);
  const Shape result = compared->output(0)->shape(), across = columns.shape(), along = rows.shape();
  const std::size_t rank = result.rank();
  if (rank < 2 || along.rank() < 2 || along[along.rank() - 1] != Dim(1) || across.rank() < 1) return false;
  if (!same_size(result[rank - 2], steps) || !same_size(result[rank - 1], keys)) return false;
  if (!same_size(across[across.rank() - 1], keys) || !same_size(along[along.rank() - 2], steps)) return false;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis)
    if (result[axis] != Dim(1)) return false;
  const auto shown = chosen->input(keeps ? 1 : 2)->constant(), hidden = chosen->input(keeps ? 2 : 1)->constant();
  if (!shown || !hidden || shown->size() != 1 || hidden->size() != 1) return false;
  if (shown->item<double>() != 0 || !hides_scores(hidden->item<double>(), hidden->dtype())) return false;
  return counts(rewriter, columns, Dim(0), keys) && counts(rewriter, rows, past, steps);
}

}  // namespace graft::inline v1::detail
