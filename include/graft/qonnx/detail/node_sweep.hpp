#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// An edit at a node, left uncommitted: yes if it edited something; no with the reason if the node is skipped; no
/// without a text for nodes of other operators.
using NodeEdit = std::function<Verdict(Node& node, Rewriter& rewriter)>;

/// The same, with a note about the edit. The note is kept if the edit is.
using NotedNodeEdit = std::function<Verdict(Node& node, Rewriter& rewriter, std::string& note)>;

inline Verdict not_concerned() { return Verdict::no(""); }

/// The pass that visits the nodes once, including bodies and functions, with types inferred, and commits edit by edit.
/// Reasons, and Errors that the edit throws, become refusals. New nodes behind the visited one are visited too. values:
/// how far values may change, a static text; empty: not at all.
Pass node_sweep(std::string name, NodeEdit edit, std::string_view values = {});
Pass node_sweep(std::string name, NotedNodeEdit edit, std::string_view values = {});

/// The same, repeated until nothing changes.
Pass repeated_node_sweep(std::string name, NodeEdit edit);

/// A clone of the node with other inputs, and with these attributes replacing its own of the same names.
Node& clone_with(const Node& node, std::span<Value* const> inputs, const Attributes& attributes, Rewriter& rewriter);

/// Runs the pass in a Context with the shape functions of QONNX's operators.
Pass knowing_qonnx(const Pass& pass);

}  // namespace graft::inline v1::qonnx::detail
