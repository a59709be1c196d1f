#pragma once
#include <initializer_list>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The output of a node of that type, without attributes, with these inputs, before the root and in its scope; nullptr
/// if there is none.
Value* made_already(std::string_view op, std::initializer_list<const Value*> inputs, const Node& root);

}  // namespace graft::inline v1::detail
