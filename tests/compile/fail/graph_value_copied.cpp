// expect: a Value lives in its graph: hold it as Value&, const auto& or Value*
#include <graft/graph.hpp>

using namespace graft;

std::size_t uses(const Node& node) {
  auto first = node.outputs()[0];
  return first.use_count();
}
