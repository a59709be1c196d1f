#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/pattern/attribute_words.hpp>
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

/// What a rule names that no version of ONNX has, on either side: an operator of the main domain; of an operator that
/// graft knows, so many inputs, an attribute, or one of that type. And new operators without an attribute that the
/// newest version requires.
class UnknownWords {
 public:
  explicit UnknownWords(const RuleView& rule) : rule_(rule) {
    look_at(rule.before);
    look_at(rule.after);
    for (const PatternNode& built : rule.after.nodes)
      if (built.step == Step::op && built.like < 0) look_for_required(built);
  }
  /// A line for each; empty if there is none.
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

  void look_at_type(std::string_view op, const PatternAttr& attr) {
    const AttributeKind declared = attribute_kind(attr.type);
    AttributeKind known = onnx::AttributeProto::UNDEFINED;  // of the newest version
    const bool fits = some_version(op, [&](const schema::Operator& facts) {
      const schema::Place place = schema::parameter(facts, attr.name);
      if (place.kind != schema::Place::Kind::attribute) return place.kind == schema::Place::Kind::input && attr.param;
      known = static_cast<AttributeKind>(facts.attributes()[place.index].type);
      return known == declared;
    });
    if (fits || known == onnx::AttributeProto::UNDEFINED) return;
    found_ += "'" + std::string(rule_.name()) + "': the attribute '" + std::string(attr.name) + "' of " +
              std::string(op) + " is " + with_article(known) + ", the rule declares " + with_article(declared) + "\n";
  }

  void look_for_required(const PatternNode& built) {
    const OpName name = OpName::parse(built.op);
    const auto rows = rule_.after.attrs.subspan(built.attr0, built.attr_count);
    for (int version = schema::newest_opset; version > 0; --version) {
      const schema::Operator* const facts = schema::find(name.domain, name.op_type, version);
      if (facts == nullptr) return;
      if (facts->deprecated() || (!built.variadic && !facts->accepts_inputs(built.operand_count))) continue;
      for (const schema::Attribute& attribute : facts->attributes()) {
        const auto writes = [&](const PatternAttr& attr) { return attr.name == attribute.name(); };
        if (!attribute.required() || std::any_of(rows.begin(), rows.end(), writes)) continue;
        found_ += "'" + std::string(rule_.name()) + "': the replacement builds " + std::string(built.op) +
                  " without its required attribute '" + std::string(attribute.name()) + "', " +
                  with_article(attribute.type) + "\n";
      }
      return;
    }
  }

  void tell(const std::string& what) { found_ += "'" + std::string(rule_.name()) + "': ONNX " + what + "\n"; }

  RuleView rule_;
  std::string found_;
};

}  // namespace graft::inline v1::detail
