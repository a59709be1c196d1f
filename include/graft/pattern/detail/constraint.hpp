#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/graph/error.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/detail/read_constant.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/table.hpp>

// Constraints of leaves.

namespace graft::inline v1::detail {

/// Whether the value is a constant of real numbers, and every element satisfies the predicate.
template <class Holds>
Why every_element(const Value& value, Holds holds) {
  const auto [tensor, why_not] = read_constant(value);
  if (!why_not.empty()) return Why::unreadable;
  if (!tensor || is_complex(tensor->dtype())) return Why::constraint;
  for (const double element : tensor->template to<double>()) {
    if (!holds(element)) return Why::constraint;
  }
  return Why::none;
}

/// Inference may have read any constants for its result.
inline Why is_known_to(KnownInts ask, const Value& value) {
  try {
    return ask(value) ? Why::none : Why::constraint;
  } catch (const Error&) {
    return Why::unreadable;
  }
}

inline bool has_dims(const Shape& shape, std::span<const std::int64_t> dims) {
  if (!shape.known() || shape.rank() != dims.size()) return false;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0 && (!shape[axis].known() || shape[axis].value() != dims[axis])) return false;
  }
  return true;
}

/// Why::none if it holds.
inline Why check(const Value& value, const PatternAttr& constraint, std::span<const std::int64_t> words) {
  const auto holds = [](bool is) { return is ? Why::none : Why::constraint; };
  switch (constraint.mode) {
    case AttrMode::rank:
      return holds(value.shape().known() && static_cast<std::int64_t>(value.shape().rank()) == constraint.literal.i);
    case AttrMode::dtype:
      return holds(is_known(value.dtype()) && (constraint.literal.i >> static_cast<int>(value.dtype()) & 1) != 0);
    case AttrMode::scalar: {
      const std::int64_t one = 1;
      return holds(has_dims(value.shape(), {}) || has_dims(value.shape(), std::span(&one, 1)));
    }
    case AttrMode::positive: return every_element(value, [](double element) { return element > 0; });
    case AttrMode::all_equal:
      return every_element(value, [&](double element) { return element == constraint.literal.f; });
    case AttrMode::known: return is_known_to(constraint.known, value);
    case AttrMode::shape:
      return holds(has_dims(value.shape(), words.subspan(constraint.word0, constraint.word_count)));
    default: return Why::constraint;
  }
}

}  // namespace graft::inline v1::detail
