#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Converts a node by edits that are not committed yet: whether that is possible; nullopt if the node is none of those
/// that the conversion is about, so that there is nothing to report.
using NodeConversion = std::function<std::optional<Verdict>(Node& node, Rewriter& rewriter)>;

/// The pass that converts nodes one by one, in bodies and functions too. A node that cannot be converted stays as it
/// was, with a reason. Types are inferred first; imports of com.microsoft and of QONNX's domains go where the pass took
/// their last node. values: how far values may move, in words.
Pass convert_nodes(std::string name, NodeConversion convert, std::string_view values = {});

/// A node of another operator with the attributes and the name of this one, but for the attributes of these names.
Value& operator_like(Rewriter& rewriter, const Node& node, std::string_view op, std::span<Value* const> inputs,
                     std::initializer_list<std::string_view> without = {});

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/node_conversions.ipp>
#endif
