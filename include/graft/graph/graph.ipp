#pragma once
#include <graft/config.hpp>
#include <graft/graph/graph.hpp>

namespace graft::inline v1 {

GRAFT_INLINE NodeRange::Iterator& NodeRange::Iterator::operator++() {
  node_ = node_->next();
  return *this;
}

GRAFT_INLINE NodeRange::Iterator NodeRange::Iterator::operator++(int) {
  Iterator old = *this;
  ++*this;
  return old;
}

GRAFT_INLINE Node& Graph::insert(std::string_view op, std::initializer_list<Value*> inputs, std::size_t outputs,
                                 const Attributes& attributes, Node* before, std::string_view name_hint) {
  return insert(op, std::span<Value* const>(inputs.begin(), inputs.size()), outputs, attributes, before, name_hint);
}

}  // namespace graft::inline v1
