#pragma once
#include <graft/rewrite/scopes.hpp>

#include <graft/config.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<Graph*> with_bodies(Graph& graph) {
  std::vector<Graph*> scopes{&graph};
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (Node& node : scopes[i]->nodes())
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
  }
  return scopes;
}

GRAFT_INLINE std::vector<Graph*> scopes_of(Graph& graph) {
  return &graph == &graph.model().graph() ? graph.model().scopes() : with_bodies(graph);
}

GRAFT_INLINE std::size_t count_nodes(Graph& graph) {
  std::size_t count = 0;
  for (const Graph* const scope : scopes_of(graph)) count += scope->nodes().size();
  return count;
}

GRAFT_INLINE bool is_alive(const Node& node) { return !node.erased() && node.graph().reachable(); }

}  // namespace graft::inline v1
