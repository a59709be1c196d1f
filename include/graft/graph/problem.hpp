#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include <graft/graph/detail/access.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

/// Something that is wrong with a graph.
struct Problem {
  const Graph* graph = nullptr;
  const Node* node = nullptr;  // nullptr: it is not in a node
  std::string text;
};

/// "node 'a': ..."; "graph 'main': ..." where it is not in a node.
inline std::string to_string(const Problem& problem) {
  const std::string place = problem.node != nullptr ? "node '" + detail::describe(problem.node->proto()) + "'"
                                                    : "graph '" + std::string(problem.graph->name()) + "'";
  return place + ": " + problem.text;
}
inline std::ostream& operator<<(std::ostream& out, const Problem& problem) { return out << to_string(problem); }

}  // namespace graft::inline v1
