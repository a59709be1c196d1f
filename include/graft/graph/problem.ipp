#pragma once
#include <graft/graph/problem.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const Problem& problem) {
  const std::string place = problem.node != nullptr ? "node '" + display_name(*problem.node) + "'"
                                                    : "graph '" + std::string(problem.graph->name()) + "'";
  return place + ": " + problem.text;
}

}  // namespace graft::inline v1
