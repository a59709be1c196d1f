#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The graph and all bodies in it, each behind the one that it stands in. Functions are graphs of their own.
std::vector<Graph*> with_bodies(Graph& graph);

/// The scopes that a pass over `graph` is about: its bodies with it and, for the main graph, the functions.
std::vector<Graph*> scopes_of(Graph& graph);

/// The nodes of those scopes.
std::size_t count_nodes(Graph& graph);

/// Whether the node is in place, and all nodes that hold it in a body.
bool is_alive(const Node& node);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/scopes.ipp>
#endif
