#pragma once
#include <graft/config.hpp>
#include <graft/graph/made_by.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Node* made_by(const Value& value, std::string_view op, std::size_t inputs) {
  Node* const node = value.producer();
  if (node == nullptr || !node->is(op)) return nullptr;
  for (std::size_t i = 0; i < inputs; ++i)
    if (node->input(i) == nullptr) return nullptr;
  return node;
}

}  // namespace graft::inline v1
