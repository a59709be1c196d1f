#pragma once
#include <cstddef>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/convert/detail/quantized_operand.hpp>

namespace graft::inline v1::qonnx::detail {

/// The dequantized factors of a Conv, MatMul or Gemm: one scale for x, and one for w or one for each output channel.
struct ProductOperands {
  QuantizedOperand x, w;
  std::size_t channel_axis = 0;           ///< of w; its rank is known
  std::optional<std::size_t> channels{};  ///< if known
};

/// Whether the node is a Conv, MatMul or Gemm.
bool is_product(const Node& node);
/// Whether a quantizer produces an input of the node, or reads its output behind Relu or Clip.
bool touches_quantizers(const Node& node);

/// Whether a bias of that shape has one number for each output channel: along the last axis of the result of a Gemm, or
/// along the only axis of a bias of Conv.
bool is_bias_row(const Shape& shape);

/// The operands; the reason if one is not quantized, or in a form that integer operators cannot read.
Verdict read_product(const Node& node, ProductOperands& product);

}  // namespace graft::inline v1::qonnx::detail
