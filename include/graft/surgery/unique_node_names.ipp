#pragma once
#include <graft/surgery/unique_node_names.hpp>

#include <string>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass unique_node_names() {
  return pass("unique_node_names", [](Graph& graph, Context& context) {
    Report report;
    std::unordered_set<std::string> taken;
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        std::string name = display_name(node);
        const bool is_free = taken.insert(name).second;
        if (!node.name().empty() && is_free) continue;
        if (!is_free) name = scope->fresh_name(name);
        if (scope == &graph) context.facts.node_copied(node.name(), name);
        scope->rename(node, name);
        ++report.changes;
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
