#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/pattern/table.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// The operator names in these rows that no version of the main domain has.
inline std::vector<std::string_view> unknown_operators(std::span<const PatternNode> rows) {
  const auto is_known = [](std::string_view op) {
    const OpName name = OpName::parse(op);
    if (!name.domain.empty()) return true;
    for (int version = schema::newest_opset; version > 0; --version)
      if (schema::find("", name.op_type, version) != nullptr) return true;
    return false;
  };
  std::vector<std::string_view> unknown;
  for (const PatternNode& row : rows) {
    if (row.step != Step::op && row.step != Step::chain) continue;
    for (std::string_view names = row.op; !names.empty();) {
      const std::size_t bar = std::min(names.find('|'), names.size());
      const std::string_view op = names.substr(0, bar);
      names.remove_prefix(std::min(bar + 1, names.size()));
      if (!is_known(op) && std::find(unknown.begin(), unknown.end(), op) == unknown.end()) unknown.push_back(op);
    }
  }
  return unknown;
}

/// The operators of the main domain in the graph, its bodies and the functions.
inline std::set<std::string_view> used_operators(Graph& graph) {
  std::set<std::string_view> used;
  std::vector<bool> seen;  // by OpId
  for (const Graph* const scope : scopes_of(graph)) {
    for (const Node& node : scope->nodes()) {
      const auto at = static_cast<std::size_t>(node.op());
      if (at >= seen.size()) seen.resize(at + 1);
      if (!seen[at] && node.domain().empty()) used.insert(node.op_type());
      seen[at] = true;
    }
  }
  return used;
}

/// One sentence for each probably misspelt operator in the rules. The graph is searched once, and only if there is a
/// suspect: an operator that it uses is not misspelt.
inline std::vector<std::string> misspelt_operators(std::span<const RuleView> rules, Graph& graph) {
  std::optional<std::set<std::string_view>> used;
  std::vector<std::string> sentences;
  const auto tell = [&](const RuleView& rule, std::string_view does, std::span<const PatternNode> rows) {
    for (const std::string_view op : unknown_operators(rows)) {
      if (!used) used = used_operators(graph);
      if (used->count(OpName::parse(op).op_type) != 0) continue;
      sentences.push_back("'" + std::string(rule.name()) + "' " + std::string(does) + " " + std::string(op) +
                          ", which no ONNX version has and the model does not use");
    }
  };
  for (const RuleView& rule : rules) {
    tell(rule, "looks for", rule.before.nodes);
    tell(rule, "builds", rule.after.nodes);
  }
  return sentences;
}

}  // namespace graft::inline v1::detail
