#pragma once
#include <graft/rewrite/read_behind.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void read_behind(Value& value, Value& by) {
  for (Use& use : value.uses()) {
    if (use.is_graph_output() ? &use.graph() == &value.graph() : use.user() == by.producer()) continue;
    if (use.is_graph_output()) {
      use.graph().set_output(use.index(), by);
    } else if (!use.graph().set_input(use, &by)) {
      throw Error("a node behind it would close a cycle").field(value.name());
    }
  }
}

}  // namespace graft::inline v1
