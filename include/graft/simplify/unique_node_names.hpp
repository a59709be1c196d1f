#pragma once
#include <string>
#include <unordered_set>
#include <utility>

#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

/// Every node of the graph, its bodies and the functions gets a name that no other node has: one without a name is
/// called by its operator and first output, as in "Conv(y)", which reports call it by anyway; of several with one name
/// the first keeps it. Runtimes that fuse nodes make up names from those that there are, and refuse a model in which
/// two are alike.
inline Pass unique_node_names() {
  return pass("unique_node_names", [](Graph& graph, Context&) {
    Report report;
    std::unordered_set<std::string> taken;
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        std::string name = detail::describe(node.proto());
        const bool is_free = taken.insert(name).second;
        if (!node.name().empty() && is_free) continue;
        scope->rename(node, is_free ? std::move(name) : scope->fresh_name(name));
        ++report.changes;
      }
    }
    return report;
  });
}

}  // namespace graft::inline v1
