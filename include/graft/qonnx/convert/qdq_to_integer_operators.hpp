#pragma once
#include <graft/qonnx/convert/integer_options.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), b)
// After:   Add(Mul(Cast(ConvInteger(x, w, zx, zw)), sx * sw), b)
//
// Likewise MatMul and Gemm, to MatMulInteger. The result stays in float, for any readers.
//
// - The integers have 8 bits, and q-params are constant: one for x, and one for w or one for each output channel of it
//   (Conv: axis 0; MatMul: the columns of a matrix; Gemm: the axis that is not summed).
// - w is constant, and no sum can overflow int32. Where Gemm transposes w, it is transposed here; x is not transposed.
// - b is absent or constant, in floats or dequantized; without one there is no Add. Gemm: alpha and beta are 1, and the
//   bias has one number for each column.
// - ONNX Runtime 1.24 has correct kernels for the dtypes: all except a ConvInteger of int8 x and uint8 w, which
//   it computes wrongly, and one whose weights have several zero points, which it rejects.
//
// Values change by rounding of floats: sums are exact, and rounded once.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies too. A skipped Conv, MatMul or Gemm reports the reason.
Pass qdq_to_integer_operators(const IntegerOptions& options = {});

}  // namespace graft::inline v1::qonnx
