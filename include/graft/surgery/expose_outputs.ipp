#pragma once
#include <graft/surgery/expose_outputs.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/expose.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass expose_outputs(std::vector<std::string> nodes) {
  return pass("expose_outputs", [names = std::move(nodes)](Graph& graph, Context& context) {
    Report report;
    infer_shapes(graph, context.infer_options());
    Transaction transaction(graph);
    std::vector<Node*> wanted;
    for (const std::string& name : names) wanted.push_back(&detail::node_called({&graph}, name));
    std::sort(wanted.begin(), wanted.end(), [](const Node* a, const Node* b) { return a->before(*b); });
    for (const Node* const node : wanted) {
      Value* const output = node->output(0);
      if (output == nullptr || output->name().empty())
        throw Error("has no first output").node(display_name(*node));
      if (output->is_graph_output()) continue;
      detail::expose(graph, *output);
      ++report.changes;
    }
    transaction.keep();
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
