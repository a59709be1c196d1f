#pragma once
#include <cstdint>

namespace graft::inline v1::qonnx {

/// Which zero points a conversion between Quant and QuantizeLinear takes. Quant adds the zero point to x / scale and
/// rounds the sum, in float32; QuantizeLinear rounds x / scale, and adds the zero point to the integer.
enum class ZeroPoints : std::uint8_t {
  zero,  ///< 0 alone, where both are the same
  even,  ///< even ones too: the integers differ by 1 where x / scale is so close to a tie that the sum is one
  any,   ///< odd ones too: the integers differ by 1 at every other tie as well
};

/// How operators on integers are written.
struct IntegerOptions {
  /// Makes uint8 of constant int8 weights beside uint8 inputs, by adding 128 to them and to their zero point. Values
  /// stay. On x86-64 without VNNI, ONNX Runtime saturates sums of two products of uint8 and int8 at 16 bits, but not
  /// those of uint8 and uint8.
  bool uint8_weights = false;
};

}  // namespace graft::inline v1::qonnx
