#pragma once
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::detail {

/// Whether the node is one that its graph's opset knows, as far as graft knows the operator.
inline Verdict check_operator(const Node& node) {
  const auto no = [&](std::string_view text) {
    return Verdict::no(Reason{text, "opset", {static_cast<double>(node.opset())}, 1});
  };
  const schema::Operator* const facts = node.schema();
  if (facts == nullptr) return node.domain().empty() ? no("the graph's opset lacks the operator") : Verdict::yes();
  if (facts->deprecated()) return no("the graph's opset has deprecated the operator");
  if (!facts->accepts_inputs(node.input_count()))
    return no("the operator takes another number of inputs at the graph's opset");
  if (!facts->accepts_outputs(node.output_count()))
    return no("the operator has another number of outputs at the graph's opset");
  for (const onnx::AttributeProto& attribute : node.proto().attribute())
    if (facts->attribute(attribute.name()) == nullptr)
      return no("the operator lacks the attribute at the graph's opset");
  for (const schema::Attribute& attribute : facts->attributes())
    if (attribute.required() && node.attribute(attribute.name()) == nullptr)
      return no("the operator wants an attribute that it is not given at the graph's opset");
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
