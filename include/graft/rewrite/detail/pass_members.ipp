#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Report Pass::run(Graph& graph, Context& context) const {
  graph.model().add_operators(context.operators);
  for (const Need& need : needs_) check(need, graph, context);
  const auto start = std::chrono::steady_clock::now();
  const std::size_t nodes_before = count_nodes(graph);
  Report report = run_body(graph, context);
  report.pass = name_;
  report.nodes_before = nodes_before;
  report.nodes_after = count_nodes(graph);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

GRAFT_INLINE Report Pass::run_body(Graph& graph, Context& context) const {
  const std::uint64_t changes = graph.model().change_count(), provided = context.facts.provided();
  const auto drop = [&] {
    if (graph.model().change_count() != changes) context.facts.drop_unpreserved(preserved_, provided, name_);
  };
  try {
    Report report = body_->run(graph, context);
    drop();
    for (const Provision& provision : provisions_)
      if (provision.level == 0) context.facts.expect(provision.type, name_);
    return report;
  } catch (Error& error) {
    drop();
    throw error.file(graph.model().file()).pass(name_);
  } catch (...) {
    drop();
    throw;
  }
}

GRAFT_INLINE void Pass::check(const Need& need, const Graph& graph, const Context& context) {
  if (need.is_met(graph, context)) return;
  std::string message = "needs " + to_string(need);
  const Facts::Absence* const absence = context.facts.absence(need.type);
  if (absence == nullptr) {
    message += ", which no earlier pass provided";
    if (!need.maker.empty()) message += "; run " + need.maker + " first";
  } else if (absence->why == Facts::Absence::Why::dropped) {
    message += ", which '" + absence->pass + "' dropped when it changed the graph";
    if (!need.maker.empty()) message += "; run " + need.maker + " after it";
  } else {
    message += ", which '" + absence->pass + "' declares but did not provide";
  }
  throw Error(std::move(message)).file(graph.model().file()).pass(need.pass);
}

}  // namespace graft::inline v1
