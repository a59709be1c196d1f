#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/drop.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/detail/has_result.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantized_constant.hpp>
#include <graft/quantize/target.hpp>

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

/// Keeps a runtime from moving values in integers by a kernel that does not do all that the node asks for: it does so
/// between equal q-params, so what stands behind gets the next greater scale.
inline void keep_qparams_apart(const Node& node, const Target& target) {
  const Node* const x = dequantize_of(node.input(0), target);
  const std::optional<QParams> q = x != nullptr ? qparams_of(*x) : std::nullopt;
  if (!q || !has_result(node)) return;
  for (const Use& use : node.output(0)->uses()) {
    if (use.is_graph_output() || !is_quantize(*use.user()) || qparams_of(*use.user()) != q) continue;
    Node& quantize = *use.user();
    Value* const old = quantize.input(1);
    const float next = std::nextafter(q->scale, std::numeric_limits<float>::infinity());
    Value& scale = node.graph().add_initializer(Tensor::scalar(next), old->name());
    for (const Use& quantized : quantize.output(0)->uses())
      if (!quantized.is_graph_output() && is_dequantize(*quantized.user()) && quantized.user()->input(1) == old)
        rewire(*quantized.user(), 1, scale);
    rewire(quantize, 1, scale);
    drop_unused(old);
  }
}

}  // namespace graft::inline v1::detail
