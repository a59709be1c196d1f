#pragma once
#include <cstdint>

namespace graft::inline v1 {

/// What a quantized model is written in.
enum class QuantizedFormat : std::uint8_t {
  qdq,                  ///< QuantizeLinear and DequantizeLinear around float operators
  qcdq,                 ///< the same, with a Clip between them where integers have fewer than 8 bits
  qonnx,                ///< QONNX's Quant, of any bit width
  quantized_operators,  ///< QLinearConv, QLinearMatMul and the like
};

}  // namespace graft::inline v1
