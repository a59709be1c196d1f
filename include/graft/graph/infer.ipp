#pragma once
#include <graft/config.hpp>
#include <graft/graph/infer.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Verdict Inference::run(Node& node) {
  calls_.reset();
  return infer(node);
}

GRAFT_INLINE std::string to_string(const Contradiction& contradiction) {
  return "'" + std::string(contradiction.value->name()) + "' is declared as " + to_string(contradiction.declared) +
         ", but " + to_string(contradiction.inferred) + " is inferred";
}

GRAFT_INLINE void Inference::infer_nodes(Graph& graph) {
  settle_initializers(graph);
  for (Node& node : graph.nodes()) {
    const Verdict verdict = infer(node);
    if (!verdict && options_.problem) options_.problem(node, verdict.reason());
  }
}

GRAFT_INLINE void Inference::collect_symbols(const Value& value) {
  const Shape shape = value.shape();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].symbolic()) symbols_.emplace(shape[axis].symbol());
  }
}

}  // namespace graft::inline v1
