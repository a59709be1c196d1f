#pragma once
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

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
#include <graft/qonnx/ops/kernels/trunc.ipp>
#endif
