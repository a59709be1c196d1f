#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/print.hpp>

namespace graft::inline v1::detail {

/// The attributes of a node, by name, that are no bodies and say more than leaving them out.
inline std::vector<const onnx::AttributeProto*> telling_attributes(const Node& node) {
  std::vector<const onnx::AttributeProto*> all;
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    const schema::Attribute* const fact = node.schema() ? node.schema()->attribute(attribute.name()) : nullptr;
    const AttributeKind of = kind(attribute);
    if (of == onnx::AttributeProto::GRAPH || of == onnx::AttributeProto::GRAPHS) continue;
    if (fact == nullptr || is_reference(attribute) || !fact->is_default(attribute)) all.push_back(&attribute);
  }
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
  return all;
}

/// An attribute that the two nodes do not share: its name and what it is on each side. An empty name: there is none.
struct AttributeDifference {
  std::string name{}, a{}, b{};
};

inline AttributeDifference attribute_difference(const Node& a, const Node& b) {
  const auto of_a = telling_attributes(a), of_b = telling_attributes(b);
  const auto text = [](const onnx::AttributeProto* attribute) {
    return attribute ? to_string(*attribute).substr(attribute->name().size() + 1) : "not given";
  };
  std::size_t i = 0, k = 0;
  while (i < of_a.size() || k < of_b.size()) {
    const onnx::AttributeProto* left = i < of_a.size() ? of_a[i] : nullptr;
    const onnx::AttributeProto* right = k < of_b.size() ? of_b[k] : nullptr;
    if (left && right && left->name() != right->name()) (left->name() < right->name() ? right : left) = nullptr;
    i += left != nullptr;
    k += right != nullptr;
    if (left && right && same(*left, *right)) continue;
    AttributeDifference found{(left ? left : right)->name(), text(left), text(right)};
    if (found.a == found.b) found.b += " with other contents";
    return found;
  }
  return {};
}

}  // namespace graft::inline v1::detail
