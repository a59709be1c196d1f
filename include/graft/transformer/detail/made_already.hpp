#pragma once
#include <initializer_list>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// What a node of that type without attributes makes of these inputs, in front of the root and in its scope; nullptr if
/// there is none.
Value* made_already(std::string_view op, std::initializer_list<const Value*> inputs, const Node& root);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/made_already.ipp>
#endif
