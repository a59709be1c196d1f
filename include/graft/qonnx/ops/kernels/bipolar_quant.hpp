#pragma once
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::qonnx {

/// BipolarQuant(x, scale): y = scale where x >= 0, which is so of -0 too, else -scale, of NaN too. Throws Error, with
/// the field, for a scale that is not positive and finite or does not broadcast to x.
/// docs/qonnx-custom-ops/bipolar_quant_op.md of fastmachinelearning/qonnx
void bipolar_quant_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/kernels/bipolar_quant.ipp>
#endif
