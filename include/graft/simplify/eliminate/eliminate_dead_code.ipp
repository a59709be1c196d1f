#pragma once
#include <graft/simplify/eliminate/eliminate_dead_code.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass eliminate_dead_code() {
  return pass("eliminate_dead_code", [](Graph& graph, Context&) {
    Report report;
    const std::vector<Graph*> scopes = scopes_of(graph);
    // A body stands behind the scope around it: what only bodies used is seen to be dead after them.
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      for (Node* node = (*scope)->last_node(); node != nullptr;) {
        Node* const before = node->prev();
        bool used = false;
        for (const Value& output : node->outputs()) used = used || output.use_count() != 0;
        if (!used) {
          (*scope)->erase(*node);
          ++report.changes;
        }
        node = before;
      }
    }
    for (Graph* const scope : scopes) {
      if (scope->reachable()) {
        const auto annotated = scope->annotated();
        for (Value* const value : scope->initializers()) {
          if (value->use_count() != 0 || value->is_graph_input() || annotated.count(value) != 0) continue;
          scope->erase(*value);
          ++report.changes;
        }
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
