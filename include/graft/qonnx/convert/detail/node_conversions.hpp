#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// The node_sweep() of a conversion. Removes the imports of com.microsoft and of QONNX's domains if it removed their
/// last node.
Pass convert_nodes(std::string name, NodeEdit convert, std::string_view values = {});
Pass convert_nodes(std::string name, NotedNodeEdit convert);

/// A node of another operator with the attributes, except for those of these names, and the name of this one.
Value& operator_like(Rewriter& rewriter, const Node& node, std::string_view op, std::span<Value* const> inputs,
                     std::initializer_list<std::string_view> without = {});

}  // namespace graft::inline v1::qonnx::detail
