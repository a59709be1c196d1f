#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

/// Whether a Softmax is known to be over one element. Until opset 12 it is over its own axis and all later ones.
inline bool is_softmax_of_one(const Node& node) {
  if (!node.is("Softmax") || node.input(0) == nullptr) return false;
  const Shape shape = node.input(0)->shape();
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const bool is_flat = node.opset() < 13;
  std::int64_t axis = node.attr<std::int64_t>("axis").value_or(is_flat ? 1 : -1);
  if (axis < 0) axis += rank;
  if (!shape.known() || axis < 0 || axis >= rank) return false;
  for (std::int64_t i = axis; i < (is_flat ? rank : axis + 1); ++i) {
    const Dim dim = shape[static_cast<std::size_t>(i)];
    if (!dim.known() || dim.value() != 1) return false;
  }
  return true;
}

}  // namespace graft::inline v1::detail
