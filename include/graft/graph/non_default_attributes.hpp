#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The attributes that say more than leaving them out would, by name: those that are not the default of the operator's
/// version. Of an operator without a schema, all; references to attributes of a function always.
std::vector<const onnx::AttributeProto*> non_default_attributes(const Node& node);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/non_default_attributes.ipp>
#endif
