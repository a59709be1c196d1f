#pragma once
#include <graft/transformer/detail/counted_indices.hpp>

#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/transformer/detail/extents.hpp>

namespace graft::inline v1::detail {

inline bool is_row(const Tensor& tensor) { return tensor.rank() == 1 || (tensor.rank() == 2 && tensor.dims()[0] == 1); }

inline bool counts(const Tensor& row) {
  if (!is_row(row) || (row.dtype() != DType::i64 && row.dtype() != DType::i32)) return false;
  const Ints numbers = row.to<std::int64_t>();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

GRAFT_INLINE std::optional<Tensor> first_elements(const Value& value, const Dim& s, KnownContents& known) {
  const Node* const slice = made_by(value, "Slice", 3);
  if (slice == nullptr) return std::nullopt;
  std::optional<Tensor> whole = slice->input(0)->constant();
  if (!whole || !is_row(*whole)) return std::nullopt;
  const auto last = static_cast<std::int64_t>(whole->rank()) - 1;
  const Value* const axes = slice->input_count() > 3 ? slice->input(3) : nullptr;
  const Value* const steps = slice->input_count() > 4 ? slice->input(4) : nullptr;
  const Integer axis = element(axes, known);
  if (axes == nullptr ? last != 0 : !axis.is(last) && !axis.is(-1)) return std::nullopt;
  if (steps != nullptr && !element(steps, known).is(1)) return std::nullopt;
  const bool is_first = element(slice->input(1), known).is(0) && same_size(element(slice->input(2), known).dim(), s);
  return is_first ? whole : std::nullopt;
}

GRAFT_INLINE bool is_batch(const Value& indices, const Dim& b, const Dim& s, KnownContents& known) {
  const Shape declared = indices.shape();
  if (declared.rank() == 2 && same_size(declared[0], b) && same_size(declared[1], s)) return true;
  const Node* const expand = made_by(indices, "Expand", 2);
  if (expand == nullptr) return false;
  const Contents* const target = known.contents(*expand->input(1));
  const bool is_wanted = target != nullptr && target->elements.size() == 2 && same_size(target->elements[0].dim(), b) &&
                         same_size(target->elements[1].dim(), s);
  // If it has fewer than S elements, it has 1.
  return is_wanted && first_elements(*expand->input(0), s, known).has_value();
}

/// The input of a Cast, else the value itself.
inline const Value& uncast(const Value& value) {
  const Node* const cast = made_by(value, "Cast");
  return cast != nullptr ? *cast->input(0) : value;
}

/// [S], if the value is an Unsqueeze of it to [1, S].
inline const Value& without_first_axis(const Value& value, KnownContents& known) {
  const Node* const unsqueeze = made_by(value, "Unsqueeze");
  if (unsqueeze == nullptr || unsqueeze->input(0)->shape().rank() != 1) return value;
  const auto given = unsqueeze->attr<Ints>("axes");
  const Integer axis = given && given->size() == 1    ? Integer(given->front())
                       : unsqueeze->input_count() > 1 ? element(unsqueeze->input(1), known)
                                                      : Integer();
  return axis.is(0) || axis.is(-2) ? *unsqueeze->input(0) : value;
}

GRAFT_INLINE bool counts_up_to(const Value& indices, const Dim& b, const Dim& s, KnownContents& known) {
  const Value* given = &uncast(indices);
  if (const Node* const expand = made_by(*given, "Expand")) {
    if (!is_batch(*given, b, s, known)) return false;
    given = &uncast(*expand->input(0));
  }
  given = &uncast(without_first_axis(*given, known));
  if (const std::optional<Tensor> constant = given->constant())
    return s.known() && counts(*constant) && constant->size() == s.value();
  if (const Node* const range = made_by(*given, "Range", 3))
    return element(range->input(0), known).is(0) && same_size(element(range->input(1), known).dim(), s) &&
           element(range->input(2), known).is(1);
  const std::optional<Tensor> whole = first_elements(*given, s, known);
  // A single element would broadcast to any S.
  return whole && whole->size() > 1 && counts(*whole);
}

}  // namespace graft::inline v1::detail
