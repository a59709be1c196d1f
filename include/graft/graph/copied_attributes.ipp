#pragma once
#include <graft/graph/copied_attributes.hpp>

#include <graft/config.hpp>
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Attributes copied_attributes(const Node& node, std::initializer_list<std::string_view> names) {
  Attributes attributes;
  for (const std::string_view name : names)
    if (const onnx::AttributeProto* const given = node.attribute(name)) attributes.emplace_back(*given);
  return attributes;
}

}  // namespace graft::inline v1
