#pragma once
#include <cstdint>
#include <span>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The same tensor at these scales.
QuantizedTensor rescaled(const QuantizedTensor& tensor, std::span<const float> scales);

/// At one scale if the weight has one, be it of rank 0 or of dims [1].
QuantizedTensor quantize_bias(std::span<const float> bias, float input_scale, const QuantizedTensor& weight);

}  // namespace detail

enum class BiasResult : std::uint8_t {
  left,  ///< there is none, it is quantized already, or what it takes is not quantized yet
  quantized,
  rescaled,  ///< quantized, after the scale of the weight was raised to make it fit
};

/// Quantizes the constant float bias of a Conv whose input and weight are dequantized: to int32, at the product of
/// their scales, as QLinearConv takes it. Where that overflows, this node gets a copy of its weight at a larger scale;
/// weights that are all 0 get a smaller one where the bias would lose precision.
/// Throws Error naming node and tensor if the bias is not finite or has another length than there are channels.
BiasResult quantize_bias(Node& node);

namespace detail {

/// Quantizes the bias if the target needs that, and reports it.
void add_bias(Node& node, const Target& target, Report& report);

}  // namespace detail
}  // namespace graft::inline v1
