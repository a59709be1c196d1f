// expect: a Use lives in its graph: hold it as Use&, const auto& or Use*
#include <graft/graph.hpp>

using namespace graft;

bool read_by_outputs(const Value& value) {
  for (auto use : value.uses())
    if (!use.is_graph_output()) return false;
  return true;
}
