#pragma once
#include <algorithm>
#include <cstddef>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// The number of nodes that quantize activations, without those in bodies.
inline std::size_t count_quantizers(const Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.nodes(), [](const Node& node) { return is_quantize(node) || node.is("DynamicQuantizeLinear"); }));
}

/// The number of products of float activations by integer weights, without those in bodies.
inline std::size_t count_weight_only(const Graph& graph) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.nodes(), [](const Node& node) { return node.is("com.microsoft::MatMulNBits"); }));
}

}  // namespace graft::inline v1::detail
