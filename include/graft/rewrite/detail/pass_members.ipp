#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Report Pass::run(Graph& graph, Context& context) const {
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
  try {
    return body_->run(graph, context);
  } catch (Error& error) {
    throw error.file(graph.model().file());
  }
}

GRAFT_INLINE void Pass::check(const Need& need, const Graph& graph, const Context& context) {
  if (need.is_met(graph, context)) return;
  std::string message = "the pass '" + need.pass + "' needs " + to_string(need);
  message += ", which nothing in front of it makes";
  if (!need.maker.empty()) message += "; run " + need.maker + " first";
  throw Error(std::move(message)).file(graph.model().file());
}

}  // namespace graft::inline v1
