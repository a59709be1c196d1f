#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The graph and all its bodies, each after its enclosing scope. Functions are separate graphs.
std::vector<Graph*> with_bodies(Graph& graph);

/// The scopes of a pass over `graph`: the graph, its bodies and, for the main graph, the functions.
std::vector<Graph*> scopes_of(Graph& graph);

/// The number of nodes in these scopes.
std::size_t count_nodes(Graph& graph);

/// Whether the node and all its enclosing nodes are in place.
bool is_alive(const Node& node);

}  // namespace graft::inline v1
