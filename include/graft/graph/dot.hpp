#pragma once
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The graph in the language of Graphviz: nodes as boxes, inputs and outputs as ovals, edges with types, bodies as
/// clusters. Constants are left out.
std::string to_dot(const Graph& graph);

}  // namespace graft::inline v1
