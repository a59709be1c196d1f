#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx::detail {

/// The graph and the bodies in it, each behind the one that it stands in.
inline std::vector<Graph*> with_bodies(Graph& graph) {
  std::vector<Graph*> scopes{&graph};
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (Node& node : scopes[i]->nodes())
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
  }
  return scopes;
}

/// Whether the scope is a local function, or in one: its imports are the function's.
inline bool in_function(const Graph& scope) {
  const Graph* root = &scope;
  while (root->parent() != nullptr) root = root->parent();
  return root->is_function();
}

}  // namespace graft::inline v1::qonnx::detail
