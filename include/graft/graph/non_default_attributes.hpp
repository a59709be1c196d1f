#pragma once
#include <algorithm>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>

namespace graft::inline v1 {

/// The attributes that say more than leaving them out would, by name: those that are not the default of the operator's
/// version. Of an operator without a schema, all; references to attributes of a function always.
inline std::vector<const onnx::AttributeProto*> non_default_attributes(const Node& node) {
  const schema::Operator* const facts = node.schema();
  std::vector<const onnx::AttributeProto*> attributes;
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    const schema::Attribute* const fact = facts ? facts->attribute(attribute.name()) : nullptr;
    if (fact == nullptr || is_reference(attribute) || !fact->is_default(attribute)) attributes.push_back(&attribute);
  }
  std::sort(attributes.begin(), attributes.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
  return attributes;
}

}  // namespace graft::inline v1
