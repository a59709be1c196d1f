#pragma once
#include <graft/rewrite/committing.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass committing(const Pass& rules) {
  const auto run = [](const Pass& given_rules, Graph& graph, Context& context) {
    if (graph.model().is_view()) return given_rules.run(graph, context);
    const struct Restore {
      Context& context;
      Budget budget = context.budget;
      ~Restore() { context.budget = budget; }
    } given{context};
    const auto start = std::chrono::steady_clock::now();
    const std::size_t few = 4 + graph.nodes().size() / 256;
    const std::size_t most = given.budget.steps.value_or(4 * count_nodes(graph) + 256);
    Report report;
    do {
      context.budget.steps = std::min(few, std::max(most, report.changes) - report.changes);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      context.budget.seconds = given.budget.seconds - spent.count();
      report.add(given_rules.run(graph, context));
      graph.model().commit();
    } while (report.steps.back().outcome == Outcome::budget && report.steps.back().changes != 0);
    report.outcome = report.steps.back().outcome;
    return report;
  };
  return around(rules, run).named("committing(" + rules.name() + ")");
}

}  // namespace graft::inline v1
