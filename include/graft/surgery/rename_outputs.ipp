#pragma once
#include <graft/surgery/rename_outputs.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/rename_values.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass rename_outputs(std::vector<std::pair<std::string, std::string>> names) {
  return pass("rename_outputs", [names = std::move(names)](Graph& graph, Context& context) {
    Report report;
    Transaction transaction(graph);
    detail::SimultaneousRename rename(graph);
    for (const auto& [from, to] : names) {
      Value& output = detail::output_called(graph, from);
      if (from == to) continue;
      const bool is_borrowed = output.is_graph_input() || &output.graph() != &graph;
      rename.add(is_borrowed ? rename.copy_output(detail::output_positions(graph, output)) : output, to);
    }
    report.changes = rename.run();
    transaction.keep();
    rename.tell(context.facts);
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
