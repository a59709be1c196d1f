#pragma once
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::qonnx {

/// Quant(x, scale, zeropt, bitwidth): y = (round(clamp(x / scale + zeropt)) - zeropt) * scale, between the bounds of
/// integer_range(), in this order and in float32. Of 1 bit with sign it is -1 below 0 and for NaN, else 1, in place of
/// the clamped and rounded number. The parameters broadcast to x, the bit width too. NaN stays NaN.
/// Throws Error, with the field: for a scale that is not positive and finite, a width below 1 bit, a mode that does not
/// exist, and parameters that do not broadcast to x.
/// docs/qonnx-custom-ops/intquant_op.md of fastmachinelearning/qonnx
void quant_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/kernels/quant.ipp>
#endif
