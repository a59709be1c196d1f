#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/qonnx/ops/definitions.hpp>

namespace graft::inline v1::qonnx::detail {

/// Sets the types of a graph, during its lifetime, to those inferred without overridden initializers. For analyses: the
/// graph is restored afterwards.
class TypedGraph {
 public:
  explicit TypedGraph(Graph& graph) : transaction_(graph) {
    infer_shapes(graph, {.operators = operators(), .assume_defaults = true});
  }

 private:
  Transaction transaction_;
};

}  // namespace graft::inline v1::qonnx::detail
