#pragma once

namespace graft::inline v1::qonnx {

/// How operators on integers are written.
struct IntegerOptions {
  /// Makes uint8 of constant int8 weights beside uint8 inputs, by adding 128 to them and to their zero point. Values
  /// stay. On x86-64 without VNNI, ONNX Runtime saturates sums of two products of uint8 and int8 at 16 bits, but not
  /// those of uint8 and uint8.
  bool uint8_weights = false;
};

}  // namespace graft::inline v1::qonnx
