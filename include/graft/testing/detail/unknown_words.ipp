#pragma once
#include <graft/testing/detail/unknown_words.hpp>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/pattern/attribute_words.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE UnknownWords::UnknownWords(const RuleView& rule) : rule_(rule) {
  look_at(rule.before);
  look_at(rule.after);
  for (const PatternNode& built : rule.after.nodes)
    if (built.step == Step::op && built.like < 0) look_for_required(built);
}

GRAFT_INLINE void UnknownWords::look_at_type(std::string_view op, const PatternAttr& attr) {
  const AttributeKind declared = attribute_kind(attr.type);
  AttributeKind known = onnx::AttributeProto::UNDEFINED;  // in the newest version
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

GRAFT_INLINE void UnknownWords::look_for_required(const PatternNode& built) {
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

}  // namespace graft::inline v1::detail
