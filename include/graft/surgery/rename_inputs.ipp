#pragma once
#include <graft/surgery/rename_inputs.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/rename_values.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass rename_inputs(std::vector<std::pair<std::string, std::string>> names) {
  return pass("rename_inputs", [names = std::move(names)](Graph& graph, Context& context) {
    Report report;
    Transaction transaction(graph);
    detail::SimultaneousRename rename(graph);
    for (const auto& [from, to] : names) {
      Value& input = detail::input_called(graph, from);
      rename.add(input, to);
      const auto positions = detail::output_positions(graph, input);
      if (from != to && !positions.empty()) rename.add(rename.copy_output(positions), from);
    }
    report.changes = rename.run();
    transaction.keep();
    rename.tell(context.facts);
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
