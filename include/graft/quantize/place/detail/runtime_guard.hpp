#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/carried_pairs.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

// What placement writes to keep a runtime from computing something else, or nothing.
namespace graft::inline v1::detail {

/// Keeps a runtime that quantizes float constants behind a quantized input, past what quantizers pass, from doing so to
/// this Conv: ONNX Runtime leaves alone one whose bias is dequantized. So the bias, 0 if it is absent, becomes int32 of
/// 31 bits, which loses less than float32 does.
inline void guard_from_runtime(Node& node, const Target& target) {
  if (dequantize_of(node.input(0), target) == nullptr || node.input(1) == nullptr) return;
  const std::optional<Tensor> weight = node.input(1)->constant();
  const std::optional<WeightChannels> channels = weight ? float_channels(node, *weight) : std::nullopt;
  std::vector<float> bias;
  if (!channels || !read_channel_bias(node, channels->outputs(), bias)) return;
  double greatest = 0;
  for (const float value : bias) greatest = std::max(greatest, std::abs(double{value}));
  if (!std::isfinite(greatest)) return;
  const float scale = greatest > 0 ? to_scale(greatest / (1 << 30)) : 1;
  std::vector<std::int32_t> codes;
  for (const float value : bias) codes.push_back(static_cast<std::int32_t>(round_half_even(double{value} / scale)));
  Value* const old = node.input(2);
  const std::string name = old != nullptr ? std::string(old->name()) : std::string(node.input(1)->name()) + "_bias";
  const Dims dims{static_cast<std::int64_t>(codes.size())};
  if (node.input_count() < 3) node.graph().resize_inputs(node, 3);
  QuantizedTensor quantized{Tensor::of<std::int32_t>(dims, codes), Tensor::scalar(scale), {}, {}};
  rewire(node, 2, insert_dequantize(add_quantized(node.graph(), std::move(quantized), name), node, name));
  drop_unused(old);
}

/// Whether the runtime would take an integer kernel for the node, and compute something else.
inline bool is_miscomputed(const Node& node, const Target& target) {
  Surroundings around(target);
  return first_failed(KernelView(node, target, ConditionStage::placed, around), ConditionStage::placed).row != nullptr;
}

/// The Max of one tensor: a copy that runtimes do not remove. One with a kernel for Max takes two operands.
inline Value& insert_copy(Value& value, Node* next, const Target& target) {
  Graph& graph = value.graph();
  std::vector<Value*> operands{&value};
  if (has_entry(target.kernels, "Max")) operands.push_back(&value);
  Value& copy = *graph.insert("Max", operands, 1, {}, next, std::string(value.name()) + "_copied").output(0);
  if (value.type() != nullptr) graph.set_type(copy, *value.type());
  return copy;
}

/// Keeps a runtime from computing an operator between quantizers in integers that it computes wrongly so: the Max of
/// one tensor, a copy that runtimes do not remove, stands between it and what quantizes its result; if its kernel can
/// give its result in float, in front of it.
inline void keep_in_float_between_quantizers(Node& node, const IntegerKernel& kernel, const Target& target) {
  bool any = false;
  for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i)
    any = any || dequantize_of(node.input(i), target) != nullptr;
  if (any && kernel.has(KernelQuirk::float_output)) {
    return rewire(node, kernel.first_operand, insert_copy(*node.input(kernel.first_operand), &node, target));
  }
  Value& y = *node.output(0);
  if (!any || OutputChains(target).behind(y, kernel.fuses_activations()).end != OutputChain::End::quantize) return;
  Value& copy = insert_copy(y, node.next(), target);
  for (Use& use : y.uses())
    if (use.user() != copy.producer()) rewire(use, copy);
}

/// Where the runtime, or one of several, would compute something else than the operator.
inline void guard_from_integers(Node& node, const Target& target) {
  const Target* const alone = &target;
  for (const Target* const part : target.parts.empty() ? std::span(&alone, 1) : target.parts) {
    const IntegerKernel* const kernel = integer_kernel(node, *part);
    if (kernel == nullptr || !is_miscomputed(node, *part)) continue;
    return keep_in_float_between_quantizers(node, *kernel, *part);
  }
}

/// Writes the pairs behind a DequantizeLinear that the runtime would carry there, and fail.
inline void state_carried_pairs(const Node& node, const Target& target) {
  for (const CarriedPair& carried : pairs_carried_wrongly(node, target))
    insert_pair(*carried.moved, *qparams_of(node), [](const Use&) { return true; });
}

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
