#pragma once
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::qonnx {

/// FloatQuant(x, scale, exponent_bitwidth, mantissa_bitwidth, exponent_bias, max_val): x / scale rounded to a small
/// float format, times scale. With v = x / scale, in float32:
///   step = 2^max(floor(log2(|v| + FLT_MIN)) - mantissa, 1 - bias - mantissa)
///   q = step * round(v / step)
///   highest = min(max_val, (2 - 2^-mantissa) * 2^(2^exponent - 1 - bias))
/// beyond which q saturates or, with saturation=0, becomes infinite (has_inf=1) or NaN (has_nan=1). NaN stays NaN;
/// infinities become NaN, as the steps there are infinite. The logarithm is exact; that of the Python package is
/// rounded to float32, and takes a step that is too coarse right below powers of two. has_subnormal and signed mean
/// nothing to the values.
/// Throws Error, with the field: for a scale that is not positive and finite, negative widths, a mantissa of a fraction
/// of a bit, a mode that does not exist, parameters that do not broadcast to x, and saturation=0 without has_inf and
/// has_nan.
/// docs/qonnx-custom-ops/floatquant_op.md of fastmachinelearning/qonnx
void float_quant_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/kernels/float_quant.ipp>
#endif
