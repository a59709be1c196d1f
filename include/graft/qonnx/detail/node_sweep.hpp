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

/// Whether the scope is a local function, or in one: its imports are the function's.
inline bool in_function(const Graph& scope) {
  const Graph* root = &scope;
  while (root->parent() != nullptr) root = root->parent();
  return root->is_function();
}

/// As long as it lives, the types of a graph are what follows if no caller overrides an initializer. For analyses: the
/// graph is left as it was.
class TypedGraph {
 public:
  explicit TypedGraph(Graph& graph) : transaction_(graph) {
    infer_shapes(graph, {.custom = shape_functions(), .assume_defaults = true});
  }

 private:
  Transaction transaction_;
};

/// What is done at a node, uncommitted: yes if something was edited, no with the reason why the node stays, and no
/// without a text for one that it is not about.
using NodeEdit = std::function<Verdict(Node& node, Rewriter& rewriter)>;

/// The same, which may write a note on what it did. The note is kept if the edit is.
using NotedNodeEdit = std::function<Verdict(Node& node, Rewriter& rewriter, std::string& note)>;

inline Verdict not_concerned() { return Verdict::no(""); }

/// The pass that goes once over the nodes, bodies and functions too, types inferred, and commits edit by edit. Reasons
/// become refusals, and so do Errors that the edit throws. What it makes behind a node is visited as well.
/// values: how far values may move, a static text; empty: not at all.
Pass node_sweep(std::string name, NodeEdit edit, std::string_view values = {});
Pass node_sweep(std::string name, NotedNodeEdit edit, std::string_view values = {});

/// The same, again and again until nothing changes.
Pass repeated_node_sweep(std::string name, NodeEdit edit);

/// A clone of the node over other inputs, with these attributes in place of its own of the same names.
Node& clone_with(const Node& node, std::span<Value* const> inputs, const Attributes& attributes, Rewriter& rewriter);

/// The pass, for which the Context knows the shapes of QONNX's operators.
Pass knowing_qonnx(const Pass& pass);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/detail/node_sweep.ipp>
#endif
