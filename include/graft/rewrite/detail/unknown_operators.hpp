#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/pattern/table.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Operators of the main domain that a pattern looks for, that no ONNX version has, and that the graph does not use:
/// most likely misspelt. The graph is looked at only if there are some.
inline std::vector<std::string_view> unknown_operators(const RulePattern& pattern, Graph& graph) {
  const auto is_known = [](std::string_view op) {
    const OpName name = OpName::parse(op);
    if (!name.domain.empty()) return true;
    for (int version = schema::newest_opset; version > 0; --version)
      if (schema::find("", name.op_type, version) != nullptr) return true;
    return false;
  };
  std::vector<std::string_view> unknown;
  for (const PatternNode& row : pattern.nodes) {
    if (row.step != Step::op && row.step != Step::chain) continue;
    for (std::string_view names = row.op; !names.empty();) {
      const std::size_t bar = std::min(names.find('|'), names.size());
      const std::string_view op = names.substr(0, bar);
      names.remove_prefix(std::min(bar + 1, names.size()));
      if (!is_known(op) && std::find(unknown.begin(), unknown.end(), op) == unknown.end()) unknown.push_back(op);
    }
  }
  if (unknown.empty()) return unknown;
  for (const Graph* const scope : scopes_of(graph)) {
    for (const Node& node : scope->nodes())
      std::erase_if(unknown, [&](std::string_view op) { return node.is(OpName::parse(op).op_type); });
  }
  return unknown;
}

}  // namespace graft::inline v1::detail
