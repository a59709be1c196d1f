#pragma once
#include <vector>

#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>

// Before:  y = f(x), with y used by nothing; an initializer that nothing reads
// After:   nothing
//
// y is no output of its graph; the initializer is no graph input and named by no quantization_annotation.

namespace graft::inline v1 {

/// Erases nodes whose outputs nothing uses, and initializers that nothing reads, in the main graph, bodies and
/// functions. Graph inputs stay: they are the signature.
inline Pass drop_dead_code() {
  return pass("drop_dead_code", [](Graph& graph, Context&) {
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
      if (!scope->owner() || is_alive(*scope->owner())) {
        const auto annotated = scope->annotated();
        for (Value* const value : scope->initializers()) {
          if (value->use_count() != 0 || value->is_graph_input() || annotated.count(value) != 0) continue;
          scope->erase(*value);
          ++report.changes;
        }
      }
    }
    return report;
  });
}

}  // namespace graft::inline v1
