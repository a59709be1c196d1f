#pragma once
#include <vector>

#include <graft/graph/model.hpp>

namespace graft::inline v1::detail {

/// Whether nodes of `scope` may read the value: it belongs to that scope or to an enclosing one.
inline bool is_visible(const Value& value, const Graph& scope) {
  const Graph* at = &scope;
  while (at != nullptr && at != &value.graph()) at = at->parent();
  return at != nullptr;
}

/// Calls f(value) for every value that the node reads, including outer values that its bodies read.
template <class F>
void for_each_read(const Node& node, F&& f) {
  for (Value* const value : node.inputs())
    if (value != nullptr) f(*value);
  std::vector<const Graph*> inside;
  for (const Body& body : node.bodies()) inside.push_back(body.graph);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const auto visit = [&](Value* value) {
      // A value in the bodies that is no deeper than the node comes from outside.
      if (value != nullptr && value->graph().depth() <= node.graph().depth()) f(*value);
    };
    for (Value* const value : inside[i]->outputs()) visit(value);
    for (const Node& inner : inside[i]->nodes()) {
      for (Value* const value : inner.inputs()) visit(value);
      for (const Body& body : inner.bodies()) inside.push_back(body.graph);
    }
  }
}

}  // namespace graft::inline v1::detail
