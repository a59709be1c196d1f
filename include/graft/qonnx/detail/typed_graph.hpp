#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/qonnx/ops/shape_functions.hpp>

namespace graft::inline v1::qonnx::detail {

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

}  // namespace graft::inline v1::qonnx::detail
