#pragma once
#include <cstddef>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/chosen_units.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/target/quantizable.hpp>

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

}  // namespace graft::inline v1::detail
