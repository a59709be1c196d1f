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
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/transformer/detail/hidden_scores.hpp>

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

/// What gives the same elements other dims.
inline const Value* behind_reshaping(const Value* value) {
  for (const Node* node = value->producer(); node != nullptr; node = value->producer()) {
    const bool reshapes = node->is("Unsqueeze") || node->is("Reshape") || node->is("Squeeze");
    if (!reshapes || node->input(0) == nullptr) break;
    value = node->input(0);
  }
  return value;
}

inline bool is_integer(Rewriter& rewriter, const Value* value, const Integer& wanted) {
  const Contents* const known = value == nullptr ? nullptr : rewriter.known_contents().contents(*value);
  return known != nullptr && known->elements.size() == 1 && same_value(known->elements[0], wanted);
}

/// first, first + 1 ... before `end`: a Range, or a first that is added to one from 0 on.
inline bool counts(Rewriter& rewriter, const Value& value, const Dim& first, const Dim& end, const Dim& count) {
  const Node* node = behind_reshaping(&value)->producer();
  const auto is_range = [&](const Node& range, const Dim& from, const Dim& limit) {
    return range.is("Range") && is_integer(rewriter, range.input(0), Integer(from)) &&
           is_integer(rewriter, range.input(1), Integer(limit)) && is_integer(rewriter, range.input(2), Integer(1));
  };
  if (node == nullptr) return false;
  if (is_range(*node, first, end)) return true;
  if (!node->is("Add")) return false;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Node* const range = behind_reshaping(node->input(i))->producer();
    if (range != nullptr && is_range(*range, Dim(0), count) && is_integer(rewriter, node->input(1 - i), Integer(first)))
      return true;
  }
  return false;
}

GRAFT_INLINE bool is_causal_mask(Rewriter& rewriter, const Value& mask, const Dim& past, const Dim& steps,
                                 const Dim& keys) {
  if (const auto constant = mask.constant()) return is_constant_causal(*constant, past, steps, keys);
  const Node* const chosen = behind_reshaping(&mask)->producer();
  if (chosen == nullptr || !chosen->is("Where")) return false;
  const Node* compared = behind_reshaping(chosen->input(0))->producer();
  bool keeps = true;
  if (compared != nullptr && compared->is("Not")) {
    keeps = false;
    compared = compared->input(0)->producer();
  }
  if (compared == nullptr) return false;
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
  return counts(rewriter, columns, Dim(0), keys, keys) && counts(rewriter, rows, past, keys, steps);
}

}  // namespace graft::inline v1::detail
