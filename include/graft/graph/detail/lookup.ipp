#pragma once
#include <graft/config.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Value* Graph::find(std::string_view name) const {
  const detail::NameTable::Hash hash = detail::NameTable::hash(name);  // once: scopes may be nested deep
  for (const Graph* scope = this; scope != nullptr; scope = scope->parent_)
    if (Value* const value = scope->names_.find(name, hash)) return value;
  return nullptr;
}

GRAFT_INLINE Node* Graph::find_node(std::string_view name) const {
  for (Node& node : nodes())
    if (node.name() == name) return &node;
  return nullptr;
}

GRAFT_INLINE std::string Graph::fresh_name(std::string_view hint) {
  const auto mark = hint.rfind("__");
  if (mark != std::string_view::npos && mark + 2 < hint.size() &&
      hint.find_first_not_of("0123456789", mark + 2) == std::string_view::npos)
    hint = hint.substr(0, mark);
  return std::string(hint) + "__" + std::to_string(++store_->suffix);
}

GRAFT_INLINE std::vector<Value*> Graph::initializers() const {
  std::vector<Value*> alive;
  alive.reserve(initializers_.size());
  for (Value* const value : initializers_)
    if (!value->erased()) alive.push_back(value);
  return alive;
}

}  // namespace graft::inline v1
