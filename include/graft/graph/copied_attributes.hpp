#pragma once
#include <initializer_list>
#include <string_view>

#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

/// The node's attributes with these names, in the order of the names.
Attributes copied_attributes(const Node& node, std::initializer_list<std::string_view> names);

}  // namespace graft::inline v1
