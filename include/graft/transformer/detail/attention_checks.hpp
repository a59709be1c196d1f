#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/transformer/detail/head_view.hpp>

// What the patterns of attention_patterns.hpp check of what they have matched.

namespace graft::inline v1::vocabulary {

inline bool is_over_keys(const Value& values, std::int64_t along) {
  const std::size_t rank = values.shape().rank();
  return (rank == 3 || rank == 4) && along + 1 == static_cast<std::int64_t>(rank);
}

/// Whether a Reshape of scores takes their heads apart. Those of the queries' batch, heads and steps need no more: how
/// many keys there are follows.
inline bool takes_heads_apart(const Node& raw, const Shape& apart) {
  if (detail::merges_heads(apart, raw.output(0)->shape())) return true;
  const detail::HeadView queries = detail::head_view(*raw.input(0), false);
  if (apart.rank() != 4 || raw.output(0)->shape().rank() != 3 || !queries.has_heads()) return false;
  for (const std::size_t each : {detail::HeadView::batch, detail::HeadView::heads, detail::HeadView::steps})
    if (!same_size(apart[each], queries.dim(each))) return false;
  return true;
}

/// Whether Reshapes around the mask take scores apart by heads, and join them again unless values are apart, too; or
/// there are none.
inline Verdict splits_and_joins(const Node& raw, const Node* split, const Node* join, const Value& values) {
  if (split == nullptr && join == nullptr) return Verdict::yes();
  if (split == nullptr || (join == nullptr && values.shape().rank() != 4))
    return Verdict::no("scores are reshaped once");
  const Shape apart = split->output(0)->shape();
  const bool back = takes_heads_apart(raw, apart) &&
                    (join == nullptr || detail::merges_heads(apart, join->output(0)->shape()));
  return back ? Verdict::yes() : Verdict::no("scores are reshaped to others");
}

inline bool has_no_hidden_rows(const Value* tested, const Node& softmax, const Value* filling) {
  if (tested == nullptr) return true;
  if (tested != softmax.output(0) || tested->use_count() != 2 || tested->is_graph_output()) return false;
  return filling->constant() && filling->constant()->item<double>() == 0;
}

/// Whether the softmax of f16 or bf16 scores runs in f32, and nothing else is cast.
inline Verdict widens_and_narrows(const Node* before, const Node* behind, const Value& values) {
  if (before == nullptr && behind == nullptr) return Verdict::yes();
  const bool is_narrow = values.dtype() == DType::f16 || values.dtype() == DType::bf16;
  const bool both = is_narrow && before != nullptr && behind != nullptr &&
                    before->input(0)->dtype() == values.dtype() && before->output(0)->dtype() == DType::f32 &&
                    behind->output(0)->dtype() == values.dtype();
  return both ? Verdict::yes() : Verdict::no("scores or weights are cast to another type");
}

}  // namespace graft::inline v1::vocabulary
