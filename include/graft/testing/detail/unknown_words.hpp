#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/pattern/table.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1::detail {

/// Calls f with each of the names joined by '|'.
template <class F>
void each_name(std::string_view joined, F&& f) {
  while (!joined.empty()) {
    const std::size_t bar = std::min(joined.find('|'), joined.size());
    f(joined.substr(0, bar));
    joined.remove_prefix(std::min(bar + 1, joined.size()));
  }
}

/// Whether a version of the operator satisfies the condition.
template <class Condition>
bool some_version(std::string_view op, Condition&& condition) {
  const OpName name = OpName::parse(op);
  for (int version = 1; version <= schema::newest_opset; ++version) {
    const schema::Operator* const facts = schema::find(name.domain, name.op_type, version);
    if (facts != nullptr && condition(*facts)) return true;
  }
  return false;
}

/// The names in a rule, on either side, that no version of ONNX has: an operator of the main domain; for a known
/// operator, a number of inputs, an attribute, or an attribute of that type. Also new operators without an attribute
/// that the newest version requires.
class UnknownWords {
 public:
  explicit UnknownWords(const RuleView& rule);
  /// One line for each problem; empty if there is none.
  const std::string& text() const { return found_; }

 private:
  template <class Table>
  void look_at(const Table& table) {
    for (const PatternNode& node : table.nodes) {
      if (node.step != Step::op) continue;
      each_name(node.op, [&](std::string_view op) { look_at(table, node, op); });
    }
  }

  template <class Table>
  void look_at(const Table& table, const PatternNode& node, std::string_view op) {
    if (!some_version(op, [](const schema::Operator&) { return true; })) {
      if (OpName::parse(op).domain.empty()) tell("has no operator " + std::string(op));
      return;
    }
    const std::size_t inputs = node.operand_count;
    const auto takes = [&](const schema::Operator& facts) { return facts.accepts_inputs(inputs); };
    if (!node.variadic && !some_version(op, takes))
      tell("has no " + std::string(op) + " of " + std::to_string(inputs) + " inputs");
    for (const PatternAttr& attr : table.attrs.subspan(node.attr0, node.attr_count)) {
      const auto has = [&](const schema::Operator& facts) { return bool(schema::parameter(facts, attr.name)); };
      if (!some_version(op, has)) {
        tell("has no " + std::string(op) + " with '" + std::string(attr.name) + "'");
      } else {
        look_at_type(op, attr);
      }
    }
  }

  void look_at_type(std::string_view op, const PatternAttr& attr);

  void look_for_required(const PatternNode& built);

  void tell(const std::string& what) { found_ += "'" + std::string(rule_.name()) + "': ONNX " + what + "\n"; }

  RuleView rule_;
  std::string found_;
};

}  // namespace graft::inline v1::detail
