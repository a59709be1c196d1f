#pragma once
#include <cstddef>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/quantizable.hpp>

namespace graft::inline v1::detail {

/// Every unit that computes, or every convolution; and what moves values in front of one. For each unit, whether it is
/// among them.
inline std::vector<bool> select_all(const std::vector<Unit>& units, bool conv_only) {
  std::vector<bool> selected(units.size());
  std::unordered_set<const Value*> integers;
  const auto select = [&](std::size_t u) {
    selected[u] = true;
    units[u].for_each_operand([&](std::size_t i) { integers.insert(units[u].node->input(i)); });
    if (!units[u].may_end_in_float) units[u].for_each_result([&](const Value& result) { integers.insert(&result); });
  };
  for (std::size_t u = 0; u < units.size(); ++u)
    if (!units[u].moves_values() && (!conv_only || units[u].node->op_type() == "Conv")) select(u);
  for (std::size_t u = units.size(); u-- > 0;) {
    if (!units[u].moves_values()) continue;
    bool any = false;
    units[u].for_each_result([&](const Value& result) {
      any = any || is_dequantized(result) || integers.contains(&result);
    });
    if (any) select(u);
  }
  return selected;
}

}  // namespace graft::inline v1::detail
