#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/quantize/bias.hpp>
#include <graft/quantize/detail/placement_plan.hpp>
#include <graft/quantize/detail/runtime_guard.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

enum class Placement : std::uint8_t {
  naive,         ///< a pair behind every Conv and each activation that could vanish into it, or the first
  fusion_aware,  ///< none between a Conv and the activations that the target fuses
};

namespace detail {

/// How many operators that the target has integer kernels for stand in other scopes.
inline std::size_t count_elsewhere(const Graph& graph, const Target& target) {
  std::size_t count = 0;
  for (const Graph* const scope : graph.model().scopes()) {
    if (scope == &graph) continue;
    for (const Node& node : scope->nodes()) count += is_integer_conv(node, target);
  }
  return count;
}

/// Phase 2: the pairs of the plan, and the biases, whose scale is known once the input's is.
inline Report place(Graph& graph, const Ranges& ranges, const Target& target, const KeptInFloat& kept,
                    Placement placement) {
  Report report;
  Transaction transaction(graph);
  const PlacementPlan plan(graph, ranges, target, kept, placement == Placement::naive);
  for (const PlacementPlan::Pair& pair : plan.pairs()) {
    if (Value* const present = dequantized(*pair.value)) {
      read_dequantized(*pair.value, *present, pair.made_by_kernel);
    } else {
      insert_qdq(*pair.value, pair.q, pair.made_by_kernel);
      ++report.changes;
    }
  }
  for (Node& node : graph.nodes()) {
    if (!is_integer_conv(node, target)) continue;
    const Verdict verdict = quantizable(node, target, kept);
    if (!kept.holds(node)) {
      add_bias(node, target, report);
    } else if (integer_kernel(node, target)->quantizes_constants) {
      guard_from_runtime(node);
    }
    if (!verdict)
      report.notes.push_back("'" + describe(node.proto()) + "' stays in float: " + std::string(verdict.reason().text));
  }
  if (const std::size_t left = count_elsewhere(graph, target); left != 0)
    report.notes.push_back(std::to_string(left) + " operators in bodies and functions stay in float");
  transaction.keep();
  return report;
}

}  // namespace detail

/// The pass that quantizes what goes into and comes out of every operator that the target computes in integers and
/// whose weight is constant. A tensor gets one pair of QuantizeLinear and DequantizeLinear, which all its users share;
/// a pair that is there stays, and is shared as well. Nodes that keep_in_float() names are left out. Throws Error
/// naming the tensor whose range is missing.
inline Pass inject_qdq(Ranges ranges, const Target& target, Placement placement = Placement::fusion_aware) {
  return pass("inject_qdq",
              [ranges = std::move(ranges), target, placement](Graph& graph, Context& context) {
                return detail::place(graph, ranges, target, KeptInFloat::of(context.facts), placement);
              })
      .needs(needs_opset(10));
}

/// The same with the ranges that an earlier pass has provided.
inline Pass inject_qdq(const Target& target, Placement placement = Placement::fusion_aware) {
  return pass("inject_qdq",
              [target, placement](Graph& graph, Context& context) {
                return detail::place(graph, *context.facts.find<Ranges>(), target, KeptInFloat::of(context.facts),
                                     placement);
              })
      .needs(needs_opset(10))
      .needs(needs_fact<Ranges>("ranges", "calibrate"));
}

}  // namespace graft::inline v1
