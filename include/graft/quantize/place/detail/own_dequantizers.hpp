#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/target/deferral.hpp>
#include <graft/quantize/target/quantizable.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

/// Whether a kernel would dequantize what it reads here: its operands, and the other tensor of what it fuses.
inline bool is_dequantized_in_kernel(const Use& use, const Target& target) {
  const Node* const user = use.user();
  if (user == nullptr || &user->graph() != &use.value()->graph()) return false;
  if (integer_kernel(*user, target) != nullptr) return true;
  const FusedActivation* const entry = fused_activation(*user, target);
  return entry != nullptr && entry->input != FusedInput::only;
}

/// Gives each kernel that reads a dequantized tensor beside others a DequantizeLinear of its own, where the target
/// shares none.
inline void give_own_dequantizers(Graph& graph, const Target& target) {
  if (!target.has(Quirk::unshared_dequantizers)) return;
  std::vector<Node*> dequantizers;
  for (Node& node : graph.nodes())
    if (is_dequantize(node) && node.output(0)->use_count() > 1) dequantizers.push_back(&node);
  for (Node* const node : dequantizers) {
    Value& shared = *node->output(0);
    for (Use& use : shared.uses()) {
      if (shared.use_count() == 1 || !is_dequantized_in_kernel(use, target)) continue;
      onnx::NodeProto payload = node->proto();
      payload.set_name(graph.fresh_name(payload.name()));
      const std::vector<Value*> inputs(node->inputs().begin(), node->inputs().end());
      Node& own = graph.insert(std::move(payload), inputs, 1, node->next());
      if (shared.type() != nullptr) graph.set_type(*own.output(0), *shared.type());
      rewire(use, *own.output(0));
    }
  }
}

}  // namespace graft::inline v1::detail
