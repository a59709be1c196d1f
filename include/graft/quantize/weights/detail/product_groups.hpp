#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/constant_product.hpp>

namespace graft::inline v1::detail {

/// Consecutive products of the main graph, whose Gram matrices are in memory at the same time.
struct ProductGroup {
  std::vector<Node*> products{};
  std::vector<const Value*> inputs{};  ///< each once
};

/// Products by a constant matrix, in the order of the graph, in groups. reads: reads a product that takes part. The
/// Gram matrices of a group have at most max_bytes, and at most the share that `least` groups would have, unless a
/// weight alone needs more. Products that share a weight are in one group, with all those between them.
std::vector<ProductGroup> product_groups(Graph& graph, const std::function<bool(const Node&, ConstantProduct&)>& reads,
                                         std::size_t max_bytes, std::size_t least = 1);

}  // namespace graft::inline v1::detail
