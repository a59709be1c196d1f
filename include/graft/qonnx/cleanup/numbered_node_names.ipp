#pragma once
#include <graft/qonnx/cleanup/numbered_node_names.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass numbered_node_names(std::string prefix) {
  return pass("numbered_node_names", [prefix = std::move(prefix)](Graph& graph, Context& context) {
    Report report;
    std::map<std::string, std::size_t> counts, bearers;
    for (const Node& node : graph.nodes()) ++bearers[std::string(node.name())];
    // What is known of a node goes to a name that nobody has and from there to the new one: two may swap theirs.
    std::vector<std::pair<std::string, std::string>> known;
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        const std::string op(node.op_type());
        const std::string name = prefix + op + "_" + std::to_string(counts[op]++);
        if (node.name() == name) continue;
        if (scope == &graph && !node.name().empty()) {
          known.emplace_back("\n" + name, name);
          if (--bearers[std::string(node.name())] == 0)
            context.facts.node_renamed(node.name(), known.back().first);
          else
            context.facts.node_copied(node.name(), known.back().first);
        }
        scope->rename(node, name);
        ++report.changes;
      }
    }
    for (const auto& [between, name] : known) context.facts.node_renamed(between, name);
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1::qonnx
