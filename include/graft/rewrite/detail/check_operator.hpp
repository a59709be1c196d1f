#pragma once
#include <array>
#include <string>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/mistyped_inputs.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attribute_words.hpp>
#include <graft/rewrite/detail/kept_text.hpp>

namespace graft::inline v1::detail {

/// Whether an attribute of the node has the type that the schema declares.
inline Verdict check_attribute_type(const Node& node, const onnx::AttributeProto& attribute) {
  const schema::Operator* const facts = node.schema();
  const schema::Attribute* const known = facts ? facts->attribute(attribute.name()) : nullptr;
  const AttributeKind given = kind(attribute);
  if (known == nullptr || is_reference(attribute) || given == onnx::AttributeProto::UNDEFINED) return Verdict::yes();
  if (given == static_cast<AttributeKind>(known->type)) return Verdict::yes();
  const std::string text = "the attribute '" + attribute.name() + "' of {name} is " + with_article(known->type) +
                           ", given is " + with_article(given);
  return Verdict::no(
      Reason{kept_text(text), "attribute", {static_cast<double>(node.opset())}, 1,
             kept_text(std::string(node.op_type()))});
}

/// Whether the node is valid in the imported opset. Operators without a schema pass.
inline Verdict check_operator(const Node& node) {
  const schema::Operator* const facts = node.schema();
  // The node's own name for it dies with the node.
  const auto kept_name = [&] { return kept_text(std::string(node.op_type())); };
  const auto no = [&](std::string_view text) {
    const std::string_view name = kept_name();
    return Verdict::no(Reason{text, "opset", {static_cast<double>(node.opset())}, 1, name});
  };
  if (facts == nullptr) {
    if (!node.domain().empty()) return Verdict::yes();
    if (schema::find("", node.op_type(), schema::newest_opset) != nullptr) return no("opset {} lacks {name}");
    return Verdict::no(Reason{kept_text("ONNX has no operator " + std::string(node.op_type())), "opset"});
  }
  if (facts->deprecated()) return no("{name} is deprecated in opset {}");
  if (!facts->accepts_inputs(node.input_count())) {
    const std::array<double, 4> numbers{static_cast<double>(node.input_count()), static_cast<double>(node.opset())};
    return Verdict::no(
        Reason{"{name} does not take {} inputs in opset {}", "opset", numbers, 2, kept_name()});
  }
  if (!facts->accepts_outputs(node.output_count()))
    return no("{name} has another number of outputs in opset {}");
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    if (facts->attribute(attribute.name()) == nullptr)
      return no(kept_text("{name} lacks the attribute '" + attribute.name() + "' in opset {}"));
    if (Verdict fits = check_attribute_type(node, attribute); !fits) return fits;
  }
  for (const schema::Attribute& attribute : facts->attributes())
    if (attribute.required() && node.attribute(attribute.name()) == nullptr)
      return no(kept_text("{name} requires the attribute '" + std::string(attribute.name()) + "', " +
                          with_article(attribute.type) + ", in opset {}"));
  if (const auto wrong = mistyped_inputs(node); !wrong.empty()) {
    std::string text = "{name} does not take " + std::string(to_string(node.input(wrong[0].index)->dtype())) +
                       " as its input {}";
    if (wrong[0].wanted != DType::undefined) text += " beside " + std::string(to_string(wrong[0].wanted));
    text += " in opset {}";
    const Reason reason{kept_text(text), "type",
                        {static_cast<double>(wrong[0].index), static_cast<double>(node.opset())}, 2, kept_name()};
    return Verdict::no(reason);
  }
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
