#pragma once
#include <cstdint>
#include <ostream>
#include <string_view>

#include <graft/graph/graph.hpp>

namespace graft::inline v1 {
namespace qonnx {

/// The form of quantization in a graph. The formats, except for the first and the last, are those of Table I of
/// Pappalardo et al., QONNX: Representing Arbitrary-Precision Quantized Neural Networks (2022).
enum class Format : std::uint8_t {
  floating,                     ///< no quantization
  qonnx,                        ///< QONNX's Quant, BipolarQuant, FloatQuant, Trunc and MultiThreshold
  qcdq,                         ///< QuantizeLinear -> Clip -> DequantizeLinear
  qdq,                          ///< QuantizeLinear -> DequantizeLinear
  clipped_quantized_operators,  ///< QLinearConv, QLinearMatMul and the like, some followed by a Clip of integers
  quantized_operators,          ///< QLinearConv, QLinearMatMul and the like
  integer_operators,            ///< ConvInteger, MatMulInteger
  mixed,                        ///< several of these
};

/// "float", "QONNX", "QCDQ", "QDQ", "quantized operators with clipping", "quantized operators", "integer operators",
/// "mixed".
std::string_view to_string(Format format);
std::ostream& operator<<(std::ostream& out, Format format);

/// The format of a graph and its bodies; for a main graph, also of its functions. A graph of quantized or integer
/// operators may quantize its inputs and dequantize its outputs; a pair of both, or a dequantized constant, makes it
/// mixed.
Format format_of(const Graph& graph);

}  // namespace qonnx

using QuantizedFormat [[deprecated("use qonnx::Format")]] = qonnx::Format;

}  // namespace graft::inline v1
