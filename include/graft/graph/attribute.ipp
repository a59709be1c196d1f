#pragma once
#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Attribute::Attribute(std::string_view name, const std::vector<std::string>& values)
    : Attribute(name, onnx::AttributeProto::STRINGS) {
  for (const std::string& value : values) proto_.add_strings(value);
}

GRAFT_INLINE Attribute::Attribute(std::string_view name, onnx::AttributeProto::AttributeType type) {
  proto_.set_name(std::string(name));
  proto_.set_type(type);
}

}  // namespace graft::inline v1
