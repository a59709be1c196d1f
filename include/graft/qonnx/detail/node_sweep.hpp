#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/attribute.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/ops/shape_functions.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether the scope is a local function, or in one: its imports are those of the function.
inline bool in_function(const Graph& scope) {
  const Graph* root = &scope;
  while (root->parent() != nullptr) root = root->parent();
  return root->is_function();
}

/// Sets the types of a graph, during its lifetime, to those inferred without overridden initializers. For analyses: the
/// graph is restored afterwards.
class TypedGraph {
 public:
  explicit TypedGraph(Graph& graph) : transaction_(graph) {
    infer_shapes(graph, {.custom = shape_functions(), .assume_defaults = true});
  }

 private:
  Transaction transaction_;
};

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

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/node_sweep.ipp>
#endif
