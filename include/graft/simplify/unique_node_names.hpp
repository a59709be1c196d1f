#pragma once
#include <string>
#include <unordered_set>

#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

/// Every node of the graph, its bodies and the functions gets a name that no other node has: one without a name is
/// called after its operator, of several with one name the first keeps it. Runtimes that fuse nodes make up names from
/// those that there are, and refuse a model in which two are alike.
inline Pass unique_node_names() {
  return pass("unique_node_names", [](Graph& graph, Context&) {
    Report report;
    std::unordered_set<std::string> taken;
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        if (!node.name().empty() && taken.insert(std::string(node.name())).second) continue;
        scope->rename(node, scope->fresh_name(node.name().empty() ? node.op_type() : node.name()));
        ++report.changes;
      }
    }
    return report;
  });
}

}  // namespace graft::inline v1
