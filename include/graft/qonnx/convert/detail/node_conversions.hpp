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

/// The node_sweep() of a conversion. Imports of com.microsoft and of QONNX's domains go where it took their last node.
Pass convert_nodes(std::string name, NodeEdit convert, std::string_view values = {});
Pass convert_nodes(std::string name, NotedNodeEdit convert);

/// A node of another operator with the attributes and the name of this one, except for the attributes of these names.
Value& operator_like(Rewriter& rewriter, const Node& node, std::string_view op, std::span<Value* const> inputs,
                     std::initializer_list<std::string_view> without = {});

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/node_conversions.ipp>
#endif
