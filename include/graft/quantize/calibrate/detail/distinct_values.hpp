#pragma once
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// value_of(node) for each node of a graph, each value once, without nullptr.
template <class F>
std::vector<const Value*> distinct_values(const Graph& graph, F value_of) {
  std::vector<const Value*> values;
  std::unordered_set<const Value*> seen;
  for (const Node& node : graph.nodes())
    if (const Value* const value = value_of(node); value != nullptr && seen.insert(value).second)
      values.push_back(value);
  return values;
}

}  // namespace graft::inline v1::detail
