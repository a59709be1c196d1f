#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Removes unused nodes, initializers and inputs.
inline void drop_unused(Graph& graph) {
  for (Node* node = graph.last_node(); node != nullptr;) {
    Node* const before = node->prev();
    bool used = false;
    for (const Value& output : node->outputs()) used = used || output.use_count() != 0;
    if (!used) graph.erase(*node);
    node = before;
  }
  const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
  for (Value* const input : inputs)
    if (input->use_count() == 0) graph.remove_input(*input);
  for (Value* const value : graph.initializers())
    if (value->use_count() == 0) graph.erase(*value);
}

}  // namespace graft::inline v1::detail
