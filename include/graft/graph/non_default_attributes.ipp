#pragma once
#include <graft/graph/non_default_attributes.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<const onnx::AttributeProto*> non_default_attributes(const Node& node) {
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
