#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Calls Verdict quantize(Node&) for the node. Counts it as a change, or adds the reason to notes and outcomes.
template <class Quantize>
void quantize_one(Node& node, const Quantize& quantize, FloatOutcomes& in_float, Report& report) {
  if (const Verdict done = quantize(node))
    ++report.changes;
  else
    report.notes.push_back(in_float.add(node, done.reason().code, to_string(done.reason())).note());
}

/// Calls Verdict quantize(Node&), which may remove the node, for each candidate in the graph and its bodies. The report
/// counts the quantized nodes as changes; notes and FloatOutcomes have the reasons of the others.
template <class IsCandidate, class Quantize>
Report quantize_each(Graph& graph, Facts& facts, const IsCandidate& is_candidate, const Quantize& quantize) {
  Report report;
  FloatOutcomes& in_float = facts.edit_or_provide<FloatOutcomes>();
  Transaction transaction(graph);
  for (Graph* const scope : with_bodies(graph))
    for (Node& node : scope->nodes())
      if (is_candidate(node)) quantize_one(node, quantize, in_float, report);
  transaction.keep();
  return report;
}

}  // namespace graft::inline v1::detail
