#pragma once
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// Quant(x, scale, zeropt, bitwidth): y = (round(clamp(x / scale + zeropt)) - zeropt) * scale, with the bounds of
/// integer_range(), in this order and in float32. For 1 signed bit, the clamped and rounded number is replaced by -1
/// below 0 and for NaN, else by 1. The parameters broadcast to x, including the bit width. NaN stays NaN. Throws Error,
/// with the field, for a scale that is not positive and finite, a width below 1 bit, an unknown mode, and parameters
/// that do not broadcast to x.
/// docs/qonnx-custom-ops/intquant_op.md of fastmachinelearning/qonnx
void quant_kernel(KernelContext& ctx);

/// BipolarQuant(x, scale): y = scale if x >= 0, including -0; else -scale, including NaN. Throws Error, with the field,
/// for a scale that is not positive and finite or does not broadcast to x.
/// docs/qonnx-custom-ops/bipolar_quant_op.md of fastmachinelearning/qonnx
void bipolar_quant_kernel(KernelContext& ctx);

/// FloatQuant(x, scale, exponent_bitwidth, mantissa_bitwidth, exponent_bias, max_val): x / scale rounded to a small
/// float format, times scale. With v = x / scale, in float32:
///   step = 2^max(floor(log2(|v| + FLT_MIN)) - mantissa, 1 - bias - mantissa)
///   q = step * round(v / step)
///   highest = min(max_val, (2 - 2^-mantissa) * 2^(2^exponent - 1 - bias))
/// Beyond `highest`, q saturates or, with saturation=0, becomes infinite (has_inf=1) or NaN (has_nan=1). NaN stays NaN;
/// infinities become NaN, because the steps there are infinite. The logarithm is exact. That of the Python package is
/// rounded to float32, which gives too coarse a step right below powers of two. has_subnormal and signed do not change
/// the values. Throws Error, with the field: for a scale that is not positive and finite, negative widths, a fractional
/// mantissa width, an unknown mode, parameters that do not broadcast to x, and saturation=0 without has_inf and
/// has_nan.
/// docs/qonnx-custom-ops/floatquant_op.md of fastmachinelearning/qonnx
void float_quant_kernel(KernelContext& ctx);

/// The version of a Trunc node: 2 if the import of its domain is 2 or more, or if there is no import and the node has
/// six inputs; else 1.
int trunc_version(const Node& node);

/// Trunc, in float32, with v = half_even(x / scale + zeropt):
///
/// - Version 1 (x, scale, zeropt, in_bitwidth, out_bitwidth): y = (round(v / t) - zeropt) * scale, where
///   t = 2^(in_bitwidth - out_bitwidth). The output keeps the scale, without a clamp.
/// - Version 2 (x, scale, zeropt, in_bitwidth, out_scale, out_bitwidth): y = (round(clamp(v / t)) - zeropt / t) *
///   out_scale, where t = 2^half_even(log2(out_scale / scale)), with the bounds of integer_range(out_bitwidth).
///
/// Throws Error, with the field: for scales that are not positive and finite, widths below 1 bit, an unknown mode, and
/// parameters that do not broadcast to x.
/// docs/qonnx-custom-ops/trunc_op.md of fastmachinelearning/qonnx
void trunc_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx
