#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The attributes that differ from the default of the operator's version, sorted by name. All attributes of an operator
/// without a schema, and all references to attributes of a function.
std::vector<const onnx::AttributeProto*> non_default_attributes(const Node& node);

}  // namespace graft::inline v1
