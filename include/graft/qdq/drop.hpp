#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// Erases an unused constant, or an unused value that quantizers or a Transpose made from a constant, and inputs that
/// are then unused.
inline void drop_unused(Value* unused) {
  std::vector<Value*> values{unused};
  while (!values.empty()) {
    Value* const value = values.back();
    values.pop_back();
    if (value == nullptr || value->erased() || value->use_count() != 0) continue;
    Graph& graph = value->graph();
    Node* const producer = value->producer();
    if (producer == nullptr) {
      if (!value->is_constant()) continue;
      if (value->is_graph_input()) graph.remove_input(*value);
      graph.erase(*value);
    } else if (producer->is("Constant") || producer->is("Identity") || is_quantize(*producer) ||
               is_dequantize(*producer) || (producer->is("Transpose") && producer->input(0)->is_constant())) {
      values.insert(values.end(), producer->inputs().begin(), producer->inputs().end());
      graph.erase(*producer);
    }
  }
}

}  // namespace graft::inline v1::detail
