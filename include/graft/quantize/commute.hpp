#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include <graft/quantize/commute_deferred.hpp>
#include <graft/quantize/commute_lone.hpp>
#include <graft/quantize/detail/number.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/pipeline.hpp>

namespace graft::inline v1 {

namespace detail {

/// How far values move when the deferred pairs go; empty if there is none.
inline std::string deferral_note(Graph& graph, const Target& target) {
  double most = 0;
  std::size_t count = 0;
  for (const auto& found : find_all(commute::deferred, graph, commute::target = target)) {
    const Activation* const entry = activation(found[commute::act]);
    const float slope = entry != nullptr ? entry->slope : std::numeric_limits<float>::infinity();
    const std::optional<QParams> inner = qparams_of(found[commute::q1]), outer = qparams_of(found[commute::q2]);
    most = std::max(most, inner && outer ? commute::moved_steps(*inner, *outer, slope)
                                         : std::numeric_limits<double>::infinity());
    ++count;
  }
  if (count == 0) return {};
  return "bounded: " + std::to_string(count) + " pairs gone, values within their ranges move by at most " +
         shortest(static_cast<float>(most)) + " steps of the scale behind the activation";
}

}  // namespace detail

/// The pass that takes quantizers past activations: the pair in front of an activation goes where the target fuses that
/// in front of the pair behind it, and a DequantizeLinear without a QuantizeLinear moves below what integers can do as
/// well. On a graph of naive placement it gives that of fusion-aware placement for the same target. The report says
/// which moves are exact, and how far values may move by others.
inline Pass commute_dq_past_activation(const Target& target) {
  using namespace commute;
  const Pass moves = pass(
      "commute", sweep(past_deferred) | fixpoint(past_no_relu, past_signed_relu, past_relu, past_clip, past_movement),
      commute::target = target);
  return pass("commute_dq_past_activation", [moves, target](Graph& graph, Context& context) {
    const std::string deferred_note = detail::deferral_note(graph, target);
    Report report = moves.run(graph, context);
    if (!deferred_note.empty()) report.notes.push_back(deferred_note);
    for (const Report& step : report.steps) {
      for (const RuleCount& rule : step.rules) {
        if (rule.applied == 0 || rule.rule == past_deferred.name()) continue;
        const bool exact = rule.rule != past_clip.name();
        report.notes.push_back((exact ? "exact: " : "bounded by half a step at the bounds: ") + rule.rule + " " +
                               std::to_string(rule.applied));
      }
    }
    return report;
  });
}

}  // namespace graft::inline v1
