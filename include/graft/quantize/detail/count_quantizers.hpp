#pragma once
#include <algorithm>
#include <cstddef>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// How many nodes quantize activations; not those in bodies.
inline std::size_t count_quantizers(const Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.nodes(), [](const Node& node) { return is_quantize(node) || node.is("DynamicQuantizeLinear"); }));
}

/// How many multiply activations in float by weights in integers; not those in bodies.
inline std::size_t count_weight_only(const Graph& graph) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.nodes(), [](const Node& node) { return node.is("com.microsoft::MatMulNBits"); }));
}

}  // namespace graft::inline v1::detail
