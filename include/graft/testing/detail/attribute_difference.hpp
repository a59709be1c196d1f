#pragma once
#include <string>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/non_default_attributes.hpp>
#include <graft/graph/print.hpp>

namespace graft::inline v1::detail {

/// Those that say something and hold no bodies, by name.
inline std::vector<const onnx::AttributeProto*> plain_attributes(const Node& node) {
  auto attributes = non_default_attributes(node);
  std::erase_if(attributes, [](const onnx::AttributeProto* attribute) {
    return kind(*attribute) == onnx::AttributeProto::GRAPH || kind(*attribute) == onnx::AttributeProto::GRAPHS;
  });
  return attributes;
}

/// An attribute that the two nodes do not share: its name and what it is on each side. An empty name: there is none.
struct AttributeDifference {
  std::string name{}, a{}, b{};
};

inline AttributeDifference attribute_difference(const Node& a, const Node& b) {
  const auto of_a = plain_attributes(a), of_b = plain_attributes(b);
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
