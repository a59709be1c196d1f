#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/table.hpp>

// What a leaf may be constrained to.

namespace graft::inline v1::detail {

/// Whether every element of a constant of real numbers satisfies the predicate; false for what is no such constant.
template <class Holds>
bool every_element(const Value& value, Holds holds) {
  const std::optional<Tensor> tensor = value.constant();
  if (!tensor || is_complex(tensor->dtype())) return false;
  for (const double element : tensor->to<double>()) {
    if (!holds(element)) return false;
  }
  return true;
}

template <class = void>
bool has_dims(const Shape& shape, std::span<const std::int64_t> dims) {
  if (!shape.known() || shape.rank() != dims.size()) return false;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0 && (!shape[axis].known() || shape[axis].value() != dims[axis])) return false;
  }
  return true;
}

template <class = void>
bool satisfies(const Value& value, const PatternAttr& constraint, std::span<const std::int64_t> words) {
  switch (constraint.mode) {
    case AttrMode::rank:
      return value.shape().known() && static_cast<std::int64_t>(value.shape().rank()) == constraint.literal.i;
    case AttrMode::dtype: return (constraint.literal.i >> static_cast<int>(value.dtype()) & 1) != 0;
    case AttrMode::scalar: {
      const std::int64_t one = 1;
      return has_dims(value.shape(), {}) || has_dims(value.shape(), std::span(&one, 1));
    }
    case AttrMode::positive: return every_element(value, [](double element) { return element > 0; });
    case AttrMode::all_equal:
      return every_element(value, [&](double element) { return element == constraint.literal.f; });
    case AttrMode::known: return constraint.known(value).has_value();
    case AttrMode::shape: return has_dims(value.shape(), words.subspan(constraint.word0, constraint.word_count));
    default: return false;
  }
}

}  // namespace graft::inline v1::detail
