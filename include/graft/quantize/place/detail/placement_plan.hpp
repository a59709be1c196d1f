#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/chosen_units.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/detail/was_empty.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/detail/least_cost.hpp>
#include <graft/quantize/place/detail/unit_plan.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// For each unit, whether it is selected, of those that chosen(unit) is true of: each that computes, and what moves
/// values in front of one; behind one, where wanted.
template <class Chosen>
std::vector<bool> select(const std::vector<Unit>& units, Chosen chosen, bool moved_behind) {
  std::vector<bool> selected(units.size());
  std::unordered_set<const Value*> integers;
  const auto select = [&](std::size_t u) {
    selected[u] = true;
    units[u].for_each_operand([&](std::size_t i) { integers.insert(units[u].node->input(i)); });
    if (!units[u].may_end_in_float) units[u].for_each_result([&](const Value& result) { integers.insert(&result); });
  };
  for (std::size_t u = 0; u < units.size(); ++u)
    if (!units[u].moves_values() && chosen(units[u])) select(u);
  for (std::size_t u = 0; moved_behind && u < units.size(); ++u)
    if (units[u].moves_values() && chosen(units[u]) && integers.contains(units[u].node->input(0))) select(u);
  for (std::size_t u = units.size(); u-- > 0;) {
    if (selected[u] || !units[u].moves_values() || !chosen(units[u])) continue;
    bool any = false;
    units[u].for_each_result([&](const Value& result) {
      any = any || is_dequantized(result) || integers.contains(&result);
    });
    if (any) select(u);
  }
  return selected;
}

/// Every unit that computes, or every convolution; and what moves values in front of one.
inline std::vector<bool> select_all(const std::vector<Unit>& units, bool conv_only) {
  const auto chosen = [=](const Unit& unit) {
    return !conv_only || unit.moves_values() || unit.node->op_type() == "Conv";
  };
  return select(units, chosen, false);
}

/// The units that were chosen before.
inline std::vector<bool> select_chosen(const std::vector<Unit>& units, const ChosenUnits& chosen) {
  return select(units, [&](const Unit& unit) { return chosen.hold(unit); }, true);
}

/// What a placement will do to a graph, which it leaves as it is.
struct PlacementPlan {
  /// A node that stays in float, and why.
  struct InFloat {
    Node* node;
    std::string_view code;
    std::string text;
    bool keeps_weight = false;  ///< from the passes behind, which would quantize it
  };
  /// Dequantized readers of values that were made in float.
  enum class Readers : std::uint8_t {
    nodes,     ///< every node
    integers,  ///< nodes that go to integers
  };

  std::vector<Pair> pairs{};                       ///< of tensors, with their q-params
  std::vector<UnitPlan::Constant> constants{};     ///< operands that get a DequantizeLinear
  std::unordered_set<const Node*> in_integers{};   ///< nodes that go to integers, or vanish into what does
  Readers readers = Readers::nodes;
  std::vector<InFloat> in_float{};
  std::optional<ChosenUnits> chosen{};             ///< by min_cost

  bool reads_dequantized(const Pair& pair, const Use& use) const {
    if (pair.made_by_kernel) return true;
    return readers == Readers::nodes ? !is_own_output(use) : !use.is_graph_output() && in_integers.contains(use.user());
  }
};

/// Of a row, the first activations that each read the one before as their first operand, and nothing else that follows
/// from it: past these commutation moves a pair.
inline std::vector<const Node*> commuting_row(const Value& y, std::vector<const Node*> row) {
  const Value* value = &y;
  std::size_t count = 0;
  for (; count < row.size() && value->use_count() == 1 && row[count]->input(0) == value; ++count)
    value = row[count]->output(0);
  row.resize(count);
  return row;
}

/// The published placement of convolutions: none stands before activations that the target fuses, unless it is naive;
/// naive, a pair stands behind each of these too. Looks at every node and edge once.
inline PlacementPlan plan_by_convs(Graph& graph, const PairQParams& qparams, const Target& target,
                                   const KeptInFloat& kept, bool naive) {
  PlacementPlan plan;
  std::unordered_set<const Value*> seen;
  std::vector<Value*> branches;
  const auto add = [&](Value& value, bool made_by_kernel) {
    if (!is_dequantized(value) && seen.insert(&value).second)
      plan.pairs.push_back({&value, qparams.of(value), made_by_kernel});
  };
  for (Node& node : graph.nodes()) {
    if (!is_integer_conv(node, target) || !quantizable(node, target, kept) || was_empty(node, qparams.ranges()))
      continue;
    add(*node.input(0), false);
    Value& y = *node.output(0);
    const std::vector<const Node*> row = commuting_row(y, qparams.deferred_row(y));
    const std::vector<Value*> others = quantized_branches(y, row, target);
    branches.insert(branches.end(), others.begin(), others.end());
    if (naive || row.empty()) add(y, true);
    if (row.empty()) {
      for (const Use& use : y.uses())
        if (const Node* const user = activation_at(use, target)) add(*user->output(0), true);
    } else {
      for (const Node* const fused : row)
        if (naive || fused == row.back()) add(*fused->output(0), true);
    }
  }
  for (Value* const branch : branches) add(*branch, false);
  return plan;
}

/// Of those that compute, each that is not selected stays in float.
inline void plan_the_rest(const std::vector<Unit>& units, const std::vector<bool>& selected, const LeastCost& costs,
                          PlacementPlan& plan) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (selected[u] || units[u].moves_values()) continue;
    auto [code, text] = costs.reason_for_float(units[u]);
    plan.in_float.push_back({units[u].node, code, std::move(text), units[u].kernel->form == KernelForm::weighted});
  }
}

/// Of operators with integer kernels. Users in float read what was made in float as it is, except conv_only, where a
/// runtime may fuse them too.
inline PlacementPlan plan_by_units(Graph& graph, const PairQParams& qparams, const Target& target,
                                   const KeptInFloat& kept, const Context& context, Placement placement) {
  PlacementPlan plan;
  const auto [units, refused] = find_units(graph, qparams, target, kept);
  if (placement != Placement::conv_only)
    for (const auto& [node, reason] : refused) plan.in_float.push_back({node, reason.code, to_string(reason)});
  std::vector<bool> selected;
  if (placement == Placement::min_cost) {
    const TypicalSizes sizes(graph, context);
    const NodePrices* const prices = context.find_argument(node_prices);
    LeastCost costs(units, qparams.dtypes(), target, {}, {}, prices != nullptr ? *prices : NodePrices());
    const ChosenUnits* const only = context.find_argument(only_units);
    selected = only != nullptr ? select_chosen(units, *only) : costs.selected();
    plan_the_rest(units, selected, costs, plan);
    plan.chosen.emplace();
    for (std::size_t u = 0; u < units.size(); ++u)
      if (selected[u]) plan.chosen->add(units[u]);
  } else {
    selected = select_all(units, placement == Placement::conv_only);
  }
  UnitPlan of_units(units, selected, qparams);
  plan.pairs = of_units.pairs();
  plan.constants = of_units.constants();
  plan.in_integers = of_units.nodes();
  plan.readers = placement == Placement::conv_only ? PlacementPlan::Readers::nodes : PlacementPlan::Readers::integers;
  return plan;
}

/// The plan of any placement. It ends with the operators that cannot be quantized, of those that the placement is
/// about. min_cost chooses `only_units`, if the context has these.
inline PlacementPlan plan_placement(Graph& graph, const Ranges& ranges, const ActivationDTypes& dtypes,
                                    const Target& target, const KeptInFloat& kept, const Context& context,
                                    Placement placement) {
  const PairQParams qparams(ranges, target, dtypes);
  PlacementPlan plan = placement < Placement::conv_only
                           ? plan_by_convs(graph, qparams, target, kept, placement == Placement::naive)
                           : plan_by_units(graph, qparams, target, kept, context, placement);
  for (Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = kernel_of_any_opset(node, target);
    if (kernel == nullptr || kernel->form == KernelForm::passthrough) continue;
    if (placement < Placement::all_supported && node.op_type() != "Conv") continue;
    const Verdict verdict = quantizable(node, target, kept);
    if (verdict) continue;
    // One of several runtimes may quantize the weight of what another one takes in float alone.
    const bool keeps_weight = !target.parts.empty() && kernel->form == KernelForm::weighted;
    plan.in_float.push_back({&node, verdict.reason().code, to_string(verdict.reason()), keeps_weight});
  }
  return plan;
}

}  // namespace graft::inline v1::detail
