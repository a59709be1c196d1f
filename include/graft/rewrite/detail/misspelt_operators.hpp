#pragma once
#include <algorithm>
#include <cstddef>
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

/// Operators of the main domain that are named here and that no ONNX version has.
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

/// A sentence for each operator of a rule that is most likely misspelt. The graph is looked at only if there is one: an
/// operator that it uses is none.
inline std::vector<std::string> misspelt_operators(const RuleView& rule, Graph& graph) {
  std::vector<std::string_view> wanted = unknown_operators(rule.before.nodes);
  std::vector<std::string_view> built = unknown_operators(rule.after.nodes);
  std::vector<std::string> sentences;
  if (wanted.empty() && built.empty()) return sentences;
  for (const Graph* const scope : scopes_of(graph)) {
    for (const Node& node : scope->nodes()) {
      const auto is_used = [&](std::string_view op) { return node.is(OpName::parse(op).op_type); };
      std::erase_if(wanted, is_used);
      std::erase_if(built, is_used);
    }
  }
  const auto tell = [&](std::string_view does, std::string_view op) {
    sentences.push_back("'" + std::string(rule.name()) + "' " + std::string(does) + " " + std::string(op) +
                        ", which no ONNX version has and the model does not use");
  };
  for (const std::string_view op : wanted) tell("looks for", op);
  for (const std::string_view op : built) tell("builds", op);
  return sentences;
}

}  // namespace graft::inline v1::detail
