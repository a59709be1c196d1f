#pragma once
#include <array>
#include <string>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/mistyped_inputs.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/detail/kept_text.hpp>

namespace graft::inline v1::detail {

/// Whether the node is one that its graph's opset knows, as far as graft knows the operator.
template <class = void>
Verdict check_operator(const Node& node) {
  const schema::Operator* const facts = node.schema();
  const auto no = [&](std::string_view text) {
    // The node's own name for it dies with the node, the table's does not.
    const schema::Operator* const known = facts ? facts : schema::find("", node.op_type(), schema::newest_opset);
    const std::string_view name = known ? known->op_type() : kept_text(std::string(node.op_type()));
    return Verdict::no(Reason{text, "opset", {static_cast<double>(node.opset())}, 1, name});
  };
  if (facts == nullptr) return node.domain().empty() ? no("the graph's opset lacks {name}") : Verdict::yes();
  if (facts->deprecated()) return no("the graph's opset has deprecated {name}");
  if (!facts->accepts_inputs(node.input_count())) {
    const std::array<double, 4> numbers{static_cast<double>(node.input_count()), static_cast<double>(node.opset())};
    return Verdict::no(
        Reason{"{name} does not take {} inputs at the graph's opset", "opset", numbers, 2, facts->op_type()});
  }
  if (!facts->accepts_outputs(node.output_count()))
    return no("{name} has another number of outputs at the graph's opset");
  for (const onnx::AttributeProto& attribute : node.proto().attribute())
    if (facts->attribute(attribute.name()) == nullptr)
      return no(kept_text("{name} lacks the attribute '" + attribute.name() + "' at the graph's opset"));
  for (const schema::Attribute& attribute : facts->attributes())
    if (attribute.required() && node.attribute(attribute.name()) == nullptr)
      return no("{name} wants an attribute that it is not given at the graph's opset");
  if (const auto wrong = mistyped_inputs(node); !wrong.empty()) {
    const Reason reason{"{name} does not take the element type of its input {} at the graph's opset", "type",
                        {static_cast<double>(wrong[0].index), static_cast<double>(node.opset())}, 2, facts->op_type()};
    return Verdict::no(reason);
  }
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
