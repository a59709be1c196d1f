#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>

#include "support/table.hpp"

using OperatorCounts = std::map<std::string, std::size_t>;  // number of nodes, including those of bodies and functions

inline OperatorCounts count_operators(const graft::Model& model) {
  OperatorCounts counts;
  for (const graft::Graph* const scope : model.scopes())
    for (const graft::Node& node : scope->nodes()) {
      const std::string_view domain = node.domain();
      ++counts[(domain.empty() ? "" : std::string(domain) + "::") + std::string(node.op_type())];
    }
  return counts;
}

inline std::size_t sum(const OperatorCounts& counts) {
  std::size_t all = 0;
  for (const auto& [op, count] : counts) all += count;
  return all;
}

/// "12 Conv, 4 Add": the most frequent first.
inline std::string listed(const OperatorCounts& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [op, count] : sorted) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + op;
  return text;
}

/// The number of nodes of each operator before and after.
inline void print_operators(const OperatorCounts& before, const OperatorCounts& after) {
  print_line("nodes", std::to_string(sum(before)) + " -> " + std::to_string(sum(after)));
  OperatorCounts same;
  std::set<std::string> names;
  for (const auto* counts : {&before, &after})
    for (const auto& [op, count] : *counts) names.insert(op);
  const auto of = [](const OperatorCounts& counts, const std::string& op) {
    const auto found = counts.find(op);
    return found == counts.end() ? std::size_t{0} : found->second;
  };
  for (const std::string& op : names) {
    const std::size_t old = of(before, op), now = of(after, op);
    if (old == now) same[op] = now;
    else print_line(("  " + op).c_str(), std::to_string(old) + " -> " + std::to_string(now));
  }
  if (!same.empty()) print_line("  unchanged", listed(same));
}
