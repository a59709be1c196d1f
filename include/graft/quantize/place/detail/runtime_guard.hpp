#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/detail/lacked_attributes.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/detail/scale_ratio.hpp>
#include <graft/quantize/detail/softmax_extent.hpp>
#include <graft/quantize/target/carried_pairs.hpp>
#include <graft/quantize/target/quantizable.hpp>
#include <graft/quantize/target/target.hpp>

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

/// Whether the runtime's integer kernel lacks what the node asks for, has a fault, rounds it down, would lose results
/// above the quantizer behind, or does not compute from these scales to those; or what the node moves is of a dtype
/// that the runtime moves in float alone, where it takes away quantizers alike.
inline bool is_miscomputed(const Node& node, const IntegerKernel& kernel, const Target& target) {
  if (const LackedAttributes* const lacked = lacked_attributes(node, kernel)) return lacked->then != Lacking::in_float;
  if (kernel.form == KernelForm::weighted) return lacks_full_tiles(node, target);
  if (kernel.form == KernelForm::same_qparams && bits(target.activation) == 8 && !kernel.takes(dtype_seen(target)))
    return true;
  if (kernel.unsaturated_up_to == 0 && kernel.scale_ratio == 0) return false;
  if (kernel.unsaturated_up_to != 0 && is_softmax_of_one(node)) return true;
  const OutputChain chain = output_chain(*node.output(0), target, kernel.fuses_activations());
  const std::optional<QParams> q =
      chain.end == OutputChain::End::quantize ? qparams_of(*chain.user) : std::nullopt;
  if (!q) return false;
  if (q->range().max + q->scale / 2 < kernel.unsaturated_up_to) return true;
  for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i) {
    const Node* const dequantize = dequantize_of(node.input(i), target);
    const std::optional<QParams> x = dequantize != nullptr ? qparams_of(*dequantize) : std::nullopt;
    if (x && !is_scale_ratio_in_reach(node, kernel, double{x->scale}, double{q->scale})) return true;
  }
  return false;
}

/// Keeps a runtime from computing an operator between quantizers in integers that it computes wrongly so: the Max of
/// one tensor, a copy that runtimes do not remove, stands between it and what quantizes its result; if its kernel can
/// give its result in float, in front of it.
inline void keep_in_float_between_quantizers(Node& node, const IntegerKernel& kernel, const Target& target) {
  bool any = false;
  for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i)
    any = any || dequantize_of(node.input(i), target) != nullptr;
  if (any && kernel.has(KernelQuirk::float_output)) {
    Value& x = *node.input(kernel.first_operand);
    Value& read = *node.graph().insert("Max", {&x}, 1, {}, &node, std::string(x.name()) + "_copied").output(0);
    if (x.type() != nullptr) node.graph().set_type(read, *x.type());
    return rewire(node, kernel.first_operand, read);
  }
  Value& y = *node.output(0);
  if (!any || output_chain(y, target, kernel.fuses_activations()).end != OutputChain::End::quantize) return;
  Graph& graph = node.graph();
  Value& copy = *graph.insert("Max", {&y}, 1, {}, node.next(), std::string(y.name()) + "_copied").output(0);
  if (y.type() != nullptr) graph.set_type(copy, *y.type());
  for (Use& use : y.uses())
    if (use.user() != copy.producer()) rewire(use, copy);
}

/// Writes the pairs behind a DequantizeLinear that the runtime would carry there, and fail.
inline void state_carried_pairs(const Node& node, const Target& target) {
  for (const CarriedPair& carried : pairs_carried_wrongly(node, target))
    insert_pair(*carried.moved, *qparams_of(node), [](const Use&) { return true; });
}

}  // namespace graft::inline v1::detail
