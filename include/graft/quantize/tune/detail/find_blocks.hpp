#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>

namespace graft::inline v1::detail {

/// Neighbouring nodes of a graph, [first, last) in its order, behind which one tensor alone goes on.
struct BlockSpan {
  std::size_t first = 0, last = 0;
  std::size_t first_layer = 0, last_layer = 0;  ///< its layers, [first_layer, last_layer) of those given
  const Value* output = nullptr;
};

/// Cuts a graph into blocks where a single float tensor is alive: residual blocks, attention, branches up to their
/// Concat. Neighbouring parts of a chain are joined, up to three layers. Longer parts are left out if more than twelve
/// layers have no cut between them. Tensors such as masks, which layers neither read nor computed, do not count. Blocks
/// end at graph outputs. A part that computes one beside the tensor that goes on is left out.
///
/// layers: nodes that multiply by learned weights, in the order of the graph.
std::vector<BlockSpan> find_blocks(const Graph& graph, const LiveValues& live, std::span<const Node* const> layers);

}  // namespace graft::inline v1::detail
