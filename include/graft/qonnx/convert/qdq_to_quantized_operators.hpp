#pragma once
#include <graft/qonnx/convert/integer_options.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  QuantizeLinear(Relu(Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), b)), sy, zy)
// After:   Clip(QLinearConv(x, sx, zx, w, sw, zw, sy, zy, b'), zy)
//
// Likewise MatMul, to QLinearMatMul, and Gemm, to com.microsoft QGemm, which takes a bias.
//
// - The integers have 8 bits, and q-params are constant: one for x and for y, one for w or one for each output channel
//   of it (Conv: axis 0; MatMul: the columns of a matrix; Gemm: the axis that is not summed).
// - ONNX Runtime 1.24 has kernels for the dtypes: uint8 x and y with w of either, or int8 in all three. The
//   weights of a Conv have one zero point for all channels.
// - Only the QuantizeLinear reads the float result, behind any row of Relu, Clip with constant bounds, or nothing. As
//   rounding is monotone, their bounds become those of an integer Clip, which is left out where they are those of the
//   dtype, or where each Clip that reads y has bounds within them. Such a Clip needs opset 12.
// - b is absent; int32 at the scale sx * sw with zero point 0, which stays as it is; or constant, in floats or at other
//   scales: then it must be within 1/64 of sy of a multiple of sx * sw, and fit in int32. It is rounded to that
//   multiple, with a note, unless only float32 rounding is undone.
// - Gemm: alpha and beta are 1, and the bias has one number for each column.
// - The weights are such that no sum can overflow int32, if they are constant.
//
// Values change by a step of sy at most, and only for sums next to a tie: the runtime multiplies int32 sums by sx * sw
// / sy, whereas QDQ divides floats by sy. There is no dtype of fewer than 8 bits here: such integers are 8-bit integers
// behind a Clip, which stays behind the new operator.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies too. A skipped Conv, MatMul or Gemm reports the reason: the operand
/// that is not quantized (weight-only, activation-only, a high-precision result), or the feature that the operator
/// cannot represent.
Pass qdq_to_quantized_operators(const IntegerOptions& options = {});

}  // namespace graft::inline v1::qonnx
