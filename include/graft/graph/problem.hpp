#pragma once
#include <ostream>
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// A fault of a graph.
struct Problem {
  const Graph* graph = nullptr;
  const Node* node = nullptr;  // nullptr: the fault is not in a node
  std::string text;
};

/// "node 'a': ...", or "graph 'main': ..." for a fault outside nodes.
std::string to_string(const Problem& problem);
inline std::ostream& operator<<(std::ostream& out, const Problem& problem) { return out << to_string(problem); }

}  // namespace graft::inline v1
