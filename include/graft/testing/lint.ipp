#pragma once
#include <graft/testing/lint.hpp>

#include <algorithm>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE std::string LostAttributes::text() const {
  std::string found;
  for (const PatternNode& built : rule_.after.nodes) {
    if (built.step != Step::op || built.op.empty() || built.like >= 0) continue;
    for (const PatternNode& wanted : rule_.before.nodes) {
      if (wanted.step != Step::op || !names(wanted.op, built.op)) continue;
      for (const PatternAttr& attr : rule_.before.attrs.subspan(wanted.attr0, wanted.attr_count)) {
        if (!is_written(built, attr.name) && !is_default(built.op, attr)) {
          found += "'" + std::string(rule_.name()) + "' looks for " + std::string(built.op) + " with '" +
                   std::string(attr.name) + "', and builds one without it\n";
        }
      }
    }
  }
  return found;
}

GRAFT_INLINE bool LostAttributes::names(std::string_view several, std::string_view op) {
  bool found = false;
  each_name(several, [&](std::string_view name) { found = found || name == op; });
  return found;
}

GRAFT_INLINE bool LostAttributes::is_written(const PatternNode& built, std::string_view name) const {
  const auto rows = rule_.after.attrs.subspan(built.attr0, built.attr_count);
  return std::any_of(rows.begin(), rows.end(), [&](const PatternAttr& attr) { return attr.name == name; });
}

GRAFT_INLINE bool LostAttributes::is_default(std::string_view op, const PatternAttr& attr) {
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

GRAFT_INLINE std::string unchecked_attributes(const RuleView& rule) {
  std::string found;
  for (const PatternNode& wanted : rule.before.nodes) {
    if (!wanted.open || wanted.reemitted || rule.apply != nullptr || !rule.before.checks.empty()) continue;
    found += "'" + std::string(rule.name()) + "' takes any attributes of " +
             (wanted.op.empty() ? "any operator" : std::string(wanted.op)) + ", and no where(...) checks them\n";
  }
  return found;
}

}  // namespace detail

}  // namespace graft::inline v1
