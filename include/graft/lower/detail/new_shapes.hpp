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

/// The shapes of a graph before and after a surgery that changes shapes. Surgeries run one after the other. Between two
/// of them nodes may not fit each other, and the graph then does not declare the shapes in doubt.
class NewShapes {
 public:
  /// Infers all shapes. They stay in the graph only if all nodes fit.
  explicit NewShapes(Graph& graph);

  /// The shape before the surgery; of unknown rank if it cannot be inferred. If nodes did not fit, a graph output has
  /// its inferred shape, not the declared one.
  Shape of(const Value& value) const;
  /// The inferred type of each graph output, whatever is declared.
  std::vector<onnx::TypeProto> following() const;
  /// Whether all nodes fitted before the surgery.
  bool fitted() const { return fitted_; }

  /// Whether the node fits its inputs, regardless of its previous outputs. outputs_follow: includes graph outputs.
  Verdict check(Node& node, bool outputs_follow) const;

  /// Forgets the shape of a value. Its dtype stays.
  void forget(Value& value) const;

  /// Infers values that depend on the changed nodes again. If nodes do not fit, forgets their shapes instead.
  /// outputs_follow: updates the declared graph outputs, too, if all nodes fitted before and fit now. No if a declared
  /// output would differ from the output of its node.
  Verdict settle(std::span<Node* const> changed, bool outputs_follow);

 private:
  bool infer() const;
  void forget_outputs() const;
  bool is_output(const Value& value) const;
  /// Values that depend on the nodes.
  std::unordered_set<Value*> reached_from(std::span<Node* const> changed) const;

  Graph& graph_;
  std::unordered_set<const Value*> written_;  // in value_info
  std::unordered_map<const Value*, onnx::TypeProto> types_;
  bool fitted_ = false;
};

}  // namespace graft::inline v1::detail
