#pragma once
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// The shapes of a graph before and after a surgery that changes them. Surgeries come in rows: between two of them the
/// nodes of a graph need not fit, and then the graph itself says nothing of the shapes that are in doubt.
class NewShapes {
 public:
  /// Infers all shapes. They stay in the graph only if all nodes fit.
  NewShapes(Graph& graph, Context& context);

  /// Before the surgery; of unknown rank where that cannot be told. Where nodes did not fit, that of an output of the
  /// graph is the one that follows, whatever it is declared as.
  Shape of(const Value& value) const;
  /// What follows for each output of the graph, whatever it is declared as.
  std::vector<onnx::TypeProto> following() const;
  /// Whether all nodes fitted before the surgery.
  bool fitted() const { return fitted_; }

  /// Whether the node fits its inputs, whatever its outputs were before. outputs_follow: those of the graph too.
  Verdict check(Node& node, bool outputs_follow) const;

  /// Forgets what was known of a value, except for its dtype.
  void forget(Value& value) const;

  /// Infers again what depends on the changed nodes. Where nodes do not fit, that is forgotten instead. outputs_follow:
  /// what outputs of the graph are declared as changes too, if all nodes fitted and do again. No if one would be
  /// declared otherwise than its node makes it.
  Verdict settle(std::span<Node* const> changed, bool outputs_follow);

 private:
  bool infer() const;
  void forget_outputs() const;
  bool is_output(const Value& value) const;
  /// What depends on the nodes.
  std::unordered_set<Value*> reached_from(std::span<Node* const> changed) const;

  Graph& graph_;
  InferOptions options_;
  std::unordered_set<const Value*> written_;  // in value_info
  std::unordered_map<const Value*, onnx::TypeProto> types_;
  bool fitted_ = false;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/lower/detail/new_shapes.ipp>
#endif
