#pragma once
#include <graft/surgery/add_intermediate_tensors_to_outputs.hpp>

#include <utility>

#include <graft/config.hpp>
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

GRAFT_INLINE Pass add_intermediate_tensors_to_outputs(std::vector<std::string> names) {
  return pass("add_intermediate_tensors_to_outputs", [names = std::move(names)](Graph& graph, Context& context) {
    Report report;
    infer_shapes(graph, context.infer_options());
    Transaction transaction(graph);
    for (const std::string& name : names) {
      Value& value = detail::value_called(graph, name);
      if (value.is_graph_output()) continue;
      detail::expose(graph, value);
      ++report.changes;
    }
    transaction.keep();
    return report;
  }).preserves_all();
}

GRAFT_INLINE Pass add_intermediate_tensors_to_outputs() {
  return pass("add_intermediate_tensors_to_outputs", [](Graph& graph, Context& context) {
    Report report;
    infer_shapes(graph, context.infer_options());
    for (Node& node : graph.nodes()) {
      for (Value& output : node.outputs()) {
        if (output.name().empty() || output.is_graph_output()) continue;
        if (!detail::has_type(output)) {
          report.notes.push_back("'" + std::string(output.name()) + "' is no output: its type is not known");
          continue;
        }
        detail::expose(graph, output);
        ++report.changes;
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
