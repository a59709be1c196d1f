#pragma once
#include <algorithm>
#include <cstddef>

#include <graft/graph.hpp>

/// The number of initializers that are inputs too, which callers may override.
inline std::size_t count_overridable(const graft::Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(graph.inputs(), [](const graft::Value* input) {
    return input->initializer() != nullptr && !input->is_constant();
  }));
}
