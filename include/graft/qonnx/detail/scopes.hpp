#pragma once
#include <graft/graph/graph.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether the scope is a local function, or in one: its imports are those of the function.
inline bool in_function(const Graph& scope) {
  const Graph* root = &scope;
  while (root->parent() != nullptr) root = root->parent();
  return root->is_function();
}

}  // namespace graft::inline v1::qonnx::detail
