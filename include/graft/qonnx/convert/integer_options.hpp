#pragma once
#include <cstdint>

namespace graft::inline v1::qonnx {

/// The zero points that a conversion between Quant and QuantizeLinear accepts. Quant adds the zero point to x / scale
/// and rounds the sum, in float32; QuantizeLinear rounds x / scale, and adds the zero point to the integer.
enum class ZeroPoints : std::uint8_t {
  zero,  ///< only 0, for which both are the same
  even,  ///< also even ones: the integers differ by 1 if x / scale is so close to a tie that the sum is a tie
  any,   ///< also odd ones: the integers also differ by 1 at every other tie
};

/// The form of integer operators.
struct IntegerOptions {
  /// Converts constant int8 weights of uint8 inputs to uint8, by adding 128 to them and to their zero point. Values
  /// stay the same. On x86-64 without VNNI, ONNX Runtime saturates sums of two products of uint8 and int8 at 16 bits,
  /// but not those of uint8 and uint8.
  bool uint8_weights = false;
};

}  // namespace graft::inline v1::qonnx
