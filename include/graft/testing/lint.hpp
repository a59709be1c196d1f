#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/pattern/table.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/testing/detail/unknown_words.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

namespace detail {

/// Operators that a rule looks for with an attribute, and puts there without it.
class LostAttributes {
 public:
  explicit LostAttributes(const RuleView& rule) : rule_(rule) {}

  /// A line for each; empty if there is none.
  std::string text() const {
    std::string found;
    for (const PatternNode& built : rule_.after.nodes) {
      if (built.step != Step::op || built.op.empty() || built.like >= 0) continue;
      for (const PatternNode& wanted : rule_.before.nodes) {
        if (wanted.step != Step::op || !names(wanted.op, built.op)) continue;
        for (const PatternAttr& attr : rule_.before.attrs.subspan(wanted.attr0, wanted.attr_count)) {
          if (!is_written(built, attr.name) && !is_default(built.op, attr)) {
            found += "'" + std::string(rule_.name()) + "' looks for " + std::string(built.op) + " with '" +
                     std::string(attr.name) + "', and puts one there without it\n";
          }
        }
      }
    }
    return found;
  }

 private:
  /// Whether one of the operators in `several`, joined by '|', is `op`.
  static bool names(std::string_view several, std::string_view op) {
    bool found = false;
    each_name(several, [&](std::string_view name) { found = found || name == op; });
    return found;
  }

  bool is_written(const PatternNode& built, std::string_view name) const {
    const auto rows = rule_.after.attrs.subspan(built.attr0, built.attr_count);
    return std::any_of(rows.begin(), rows.end(), [&](const PatternAttr& attr) { return attr.name == name; });
  }

  /// Whether the pattern demands what an absent attribute means, in every version of the operator.
  static bool is_default(std::string_view op, const PatternAttr& attr) {
    if (attr.mode != AttrMode::equals) return false;
    const OpName name = OpName::parse(op);
    for (int version = 1; version <= schema::newest_opset; ++version) {
      const schema::Operator* const facts = schema::find(name.domain, name.op_type, version);
      const schema::Attribute* const fact = facts ? facts->attribute(attr.name) : nullptr;
      if (fact == nullptr) continue;
      bool same = fact->kind == schema::Default::value;
      if (fact->type == schema::AttributeType::int_) same = same && fact->default_as<std::int64_t>() == attr.literal.i;
      else if (fact->type == schema::AttributeType::float_)
        same = same && fact->default_as<float>() == static_cast<float>(attr.literal.f);
      else if (fact->type == schema::AttributeType::string)
        same = same && fact->default_as<std::string_view>() == attr.literal.s;
      else same = false;
      if (!same) return false;
    }
    return true;
  }

  RuleView rule_;
};

/// Operators that are dropped whatever attributes they have; a line for each.
inline std::string unchecked_attributes(const RuleView& rule) {
  std::string found;
  for (const PatternNode& wanted : rule.before.nodes) {
    if (!wanted.open || wanted.reemitted || rule.apply != nullptr || !rule.before.checks.empty()) continue;
    found += "'" + std::string(rule.name()) + "' takes any attributes of " +
             (wanted.op.empty() ? "any operator" : std::string(wanted.op)) + ", and no where(...) checks them\n";
  }
  return found;
}

}  // namespace detail

/// Whether what a rule names exists in some version of ONNX: its operators, as many inputs as it gives them, their
/// attributes, of the types that it declares. Whether new operators have the attributes that their newest version
/// requires, and whether a where(...) checks what any_attributes lets in. And whether it keeps the attributes of the
/// operators that stand on both of its sides: one that it looks for with an attribute, and puts there anew without it,
/// has lost it. Attributes that the pattern does not mention have their defaults already, and one that is cloned keeps
/// its own. A replacement that is a function cannot be looked into.
template <rule_like R>
TestResult lint(const R& rule) {
  const std::string found = detail::UnknownWords(rule.view()).text() + detail::LostAttributes(rule.view()).text() +
                            detail::unchecked_attributes(rule.view());
  return found.empty() ? TestResult::pass() : TestResult::fail(found);
}

}  // namespace graft::inline v1
