#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/model.hpp>

namespace graft::inline v1 {

/// The scopes that a pass over `graph` is about: its bodies with it and, for the main graph, the functions.
template <class = void>
std::vector<Graph*> scopes_of(Graph& graph) {
  if (&graph == &graph.model().graph()) return graph.model().scopes();
  std::vector<Graph*> scopes{&graph};
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (Node& node : scopes[i]->nodes())
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
  }
  return scopes;
}

/// The nodes of those scopes.
template <class = void>
std::size_t count_nodes(Graph& graph) {
  std::size_t count = 0;
  for (const Graph* const scope : scopes_of(graph)) count += scope->nodes().size();
  return count;
}

/// Whether the node is in place, and all nodes that hold it in a body.
template <class = void>
bool is_alive(const Node& node) {
  if (node.erased()) return false;
  for (const Node* owner = node.graph().owner(); owner != nullptr; owner = owner->graph().owner())
    if (owner->erased()) return false;
  return true;
}

}  // namespace graft::inline v1
