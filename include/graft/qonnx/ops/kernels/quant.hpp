#pragma once
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// Quant(x, scale, zeropt, bitwidth): y = (round(clamp(x / scale + zeropt)) - zeropt) * scale, between the bounds of
/// integer_range(), in this order and in float32. Of 1 bit with sign it is -1 below 0 and for NaN, else 1, in place of
/// the clamped and rounded number. The parameters broadcast to x, the bit width too. NaN stays NaN.
/// Throws Error, with the field: for a scale that is not positive and finite, a width below 1 bit, a mode that does not
/// exist, and parameters that do not broadcast to x.
/// docs/qonnx-custom-ops/intquant_op.md of fastmachinelearning/qonnx
void quant_kernel(KernelContext& ctx);

/// BipolarQuant(x, scale): y = scale where x >= 0, which is so of -0 too, else -scale, of NaN too. Throws Error, with
/// the field, for a scale that is not positive and finite or does not broadcast to x.
/// docs/qonnx-custom-ops/bipolar_quant_op.md of fastmachinelearning/qonnx
void bipolar_quant_kernel(KernelContext& ctx);

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

/// Which Trunc a node is: 2 where the import of its domain is 2 or more, and where there is no import and the node has
/// six inputs; else 1.
int trunc_version(const Node& node);

/// Trunc, in float32, with v = half_even(x / scale + zeropt):
/// Version 1 (x, scale, zeropt, in_bitwidth, out_bitwidth): y = (round(v / t) - zeropt) * scale, where
/// t = 2^(in_bitwidth - out_bitwidth). The output keeps the scale, and nothing is clamped.
/// Version 2 (x, scale, zeropt, in_bitwidth, out_scale, out_bitwidth): y = (round(clamp(v / t)) - zeropt / t) *
/// out_scale, where t = 2^half_even(log2(out_scale / scale)), between the bounds of integer_range(out_bitwidth).
/// Throws Error, with the field: for scales that are not positive and finite, widths below 1 bit, a mode that does not
/// exist, and parameters that do not broadcast to x.
/// docs/qonnx-custom-ops/trunc_op.md of fastmachinelearning/qonnx
void trunc_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/kernels/quant.ipp>
#endif
