#pragma once
#include <cstddef>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The node that computes a value, if it is of this operator and its first inputs are there; else nullptr.
inline const Node* made_by(const Value& value, std::string_view op, std::size_t inputs = 1) {
  const Node* const node = value.producer();
  if (node == nullptr || !node->is(op)) return nullptr;
  for (std::size_t i = 0; i < inputs; ++i)
    if (node->input(i) == nullptr) return nullptr;
  return node;
}

}  // namespace graft::inline v1::detail
