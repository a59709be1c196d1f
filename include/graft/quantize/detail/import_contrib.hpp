#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1::detail {

/// Adds the opset import of com.microsoft before its operators are inserted.
inline void import_contrib(Graph& graph) {
  if (graph.opset("com.microsoft") == 0) graph.model().set_opset(1, "com.microsoft");
}

}  // namespace graft::inline v1::detail
