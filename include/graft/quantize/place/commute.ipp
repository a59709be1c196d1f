#pragma once
#include <graft/quantize/place/commute.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/pattern/bindings.hpp>
#include <graft/pattern/match.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/place/commutation.hpp>
#include <graft/quantize/place/commute_lone.hpp>
#include <graft/quantize/place/detail/commute_captures.hpp>
#include <graft/quantize/place/detail/row.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

/// By how many steps of the scale behind them values of a graph may move, at most, when the deferred pairs go.
inline double max_moved(Graph& graph, const Target& target) {
  PairsGone gone;
  std::unordered_map<const Node*, double> moved;  // by activation: what it makes
  std::unordered_map<const Node*, double> steps;  // by the QuantizeLinear that stay
  for (const auto& found : find_all(commute::two_pairs, graph)) {
    const Node& before = found[commute::before];
    const Node& act = found[commute::act];
    std::optional<std::vector<const Node*>> row = row_up_to(before, target, gone);
    if (!row) continue;
    row->push_back(&act);
    if (!deferrable(*row, RowEnd(found[commute::q2]), target)) continue;
    gone.emplace(&found[commute::dq1], &before);
    steps.erase(&found[commute::q1]);
    const std::optional<QParams> inner = qparams_of(found[commute::q1]), outer = qparams_of(found[commute::q2]);
    const auto place = moved.find(&before);
    const double earlier = place != moved.end() ? place->second : 0;
    const double error = earlier + (inner ? inner->scale / 2.0 : std::numeric_limits<double>::infinity());
    moved[&act] = static_cast<double>(steepest_slope(act)) * error;
    double& count = steps[&found[commute::q2]];
    count = std::numeric_limits<double>::infinity();
    if (inner && outer)
      count = earlier == 0 ? commutation_bound(act, *inner, *outer) : graft::commute::moved_steps(moved[&act], *outer);
  }
  double most = 0;
  for (const auto& [node, count] : steps) most = std::max(most, count);
  return most;
}

}  // namespace detail

GRAFT_INLINE Pass commute_dq_past_activation(const Target& target) {
  using namespace commute;
  const Pass moves =
      pass("commute",
           sweep(past_deferred).preserves_all() |
               fixpoint(past_no_relu, past_signed_relu, past_relu, past_clip, past_movement).preserves_all(),
           commute::target = target);
  return pass("commute_dq_past_activation",
              [moves, target](Graph& graph, Context& context) {
                double most = 0;
                for (Graph* const scope : scopes_of(graph)) most = std::max(most, detail::max_moved(*scope, target));
                Report report = moves.run(graph, context);
                if (const std::size_t count = report.rule(past_deferred.name()).applied; count != 0)
                  report.notes.push_back(
                      "bounded: " + std::to_string(count) + " pairs gone, values within their ranges move by at most " +
                      shortest_decimal(static_cast<float>(most)) + " steps of the scale behind the activation");
                for (const Report& step : report.steps) {
                  for (const RuleCount& rule : step.rules) {
                    if (rule.applied == 0 || rule.rule == past_deferred.name()) continue;
                    const bool exact = rule.rule != past_clip.name();
                    report.notes.push_back((exact ? "exact: " : "bounded by half a step at the bounds: ") + rule.rule +
                                           " " + std::to_string(rule.applied));
                  }
                }
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
