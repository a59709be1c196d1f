#pragma once
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::detail {

/// DequantizeLinear that are about to go with their QuantizeLinear, and the nodes in front of these.
using PairsGone = std::unordered_map<const Node*, const Node*>;

/// The activations from an integer kernel, which is not among them, to `last`, which is unless it is the kernel: each
/// fused by the target, and the only reader of the value in front of it. nullopt if they begin at no kernel.
inline std::optional<std::vector<const Node*>> row_up_to(const Node& last, const Target& target,
                                                         const PairsGone& gone = {}) {
  std::vector<const Node*> row;
  const Node* node = &last;
  while (!is_integer_conv(*node, target)) {
    const Value* const value = node->input(0);
    if (fused_activation(*node, target) == nullptr || value == nullptr || value->use_count() != 1) return std::nullopt;
    row.push_back(node);
    const Node* producer = value->producer();
    if (producer == nullptr || &producer->graph() != &node->graph()) return std::nullopt;
    const auto pair = gone.find(producer);
    node = pair != gone.end() ? pair->second : producer;
  }
  std::reverse(row.begin(), row.end());
  return row;
}

}  // namespace graft::inline v1::detail
