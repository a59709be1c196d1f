// expect: a Node lives in its graph: hold it as Node&, const auto& or Node*
#include <graft/graph.hpp>

using namespace graft;

std::size_t inputs(const Graph& graph) {
  std::size_t count = 0;
  for (Node node : graph.nodes()) count += node.input_count();
  return count;
}
