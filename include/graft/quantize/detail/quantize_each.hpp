#pragma once
#include <string>

#include <graft/graph/display_name.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/place/in_float.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Calls Verdict quantize(Node&), which may remove the node, for each candidate in the graph and its bodies. The report
/// counts the quantized nodes as changes; notes and InFloat have the reasons of the others.
template <class IsCandidate, class Quantize>
Report quantize_each(Graph& graph, Facts& facts, const IsCandidate& is_candidate, const Quantize& quantize) {
  Report report;
  InFloat& in_float = facts.edit_or_provide<InFloat>();
  Transaction transaction(graph);
  for (Graph* const scope : with_bodies(graph)) {
    for (Node& node : scope->nodes()) {
      if (!is_candidate(node)) continue;
      const std::string name = display_name(node);
      if (const Verdict done = quantize(node)) {
        ++report.changes;
      } else {
        const std::string why = to_string(done.reason());
        report.notes.push_back("'" + name + "' stays in float: " + why);
        in_float.reasons.insert_or_assign(name, why);
      }
    }
  }
  transaction.keep();
  return report;
}

}  // namespace graft::inline v1::detail
