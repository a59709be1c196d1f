#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/mistyped_inputs.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>

namespace graft::inline v1::detail {

inline std::string qualified(const Node& node) {
  return (node.domain().empty() ? "" : std::string(node.domain()) + "::") + std::string(node.op_type());
}

inline void verify_attributes(const Node& node, const schema::Operator& op, auto&& report) {
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    const schema::Attribute* const known = op.attribute(attribute.name());
    if (known == nullptr) {
      report("has the attribute '" + attribute.name() + "', which " + qualified(node) + "-" +
             std::to_string(op.since_version) + " does not have");
      continue;
    }
    const AttributeKind got = kind(attribute);
    if (is_reference(attribute) || got == onnx::AttributeProto::UNDEFINED) continue;
    const auto wanted = static_cast<AttributeKind>(known->type);
    if (got == wanted) continue;
    report("the attribute '" + attribute.name() + "' is " + std::string(to_string(got)) + ", not " +
           std::string(to_string(wanted)));
  }
  for (const schema::Attribute& attribute : op.attributes()) {
    if (attribute.required() && node.attribute(attribute.name()) == nullptr) {
      report("lacks the attribute '" + std::string(attribute.name()) + "'");
    }
  }
}

inline void verify_attribute_names(const Node& node, auto&& report) {
  std::unordered_set<std::string_view> names;
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    if (!names.insert(attribute.name()).second) report("has the attribute '" + attribute.name() + "' twice");
  }
}

inline void verify_dtypes(const Node& node, const schema::Operator& op, auto&& report) {
  for (const MistypedInput& wrong : mistyped_inputs(node)) {
    const Value& input = *node.input(wrong.index);
    const std::string place = "input " + std::to_string(wrong.index) + " ('" + std::string(input.name()) + "') is " +
                              std::string(to_string(input.dtype()));
    if (wrong.wanted == DType::undefined) {
      report(place + ", which " + qualified(node) + "-" + std::to_string(op.since_version) + " does not take there");
    } else {
      report(place + ", where an input before is " + std::string(to_string(wrong.wanted)));
    }
  }
}

/// Reports violations of the operator's schema by a node. For a call of a local function, checks only the names of
/// attributes and the import.
inline void verify_operator(const Node& node, bool local, auto&& report) {
  if (node.proto().attribute_size() > 1) verify_attribute_names(node, report);
  if (node.opset() == 0) report("its domain '" + std::string(node.domain()) + "' is not imported");
  if (local) return;
  const schema::Operator* const op = node.schema();
  if (op == nullptr) {
    const bool known = !node.schemas().empty();
    if (node.opset() != 0 && (known || (node.domain().empty() && node.opset() <= schema::newest_opset))) {
      report(qualified(node) + " is not an operator of opset " + std::to_string(node.opset()));
    }
    return;
  }
  if (op->deprecated()) report(qualified(node) + " is deprecated in opset " + std::to_string(node.opset()));
  if (!op->accepts_inputs(node.input_count())) report("takes no " + std::to_string(node.input_count()) + " inputs");
  if (!op->accepts_outputs(node.output_count())) report("has no " + std::to_string(node.output_count()) + " outputs");
  for (std::size_t i = 0; i < node.input_count() && i < op->min_inputs; ++i) {
    const schema::Parameter* const parameter = op->input(i);
    if (node.input(i) == nullptr && parameter != nullptr && parameter->option == schema::Option::single) {
      report("lacks input " + std::to_string(i) + ", " + std::string(parameter->name()));
    }
  }
  verify_attributes(node, *op, report);
  verify_dtypes(node, *op, report);
}

}  // namespace graft::inline v1::detail
