#pragma once
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::qonnx {

/// Conv, MaxPool and BatchNormalization of qonnx.custom_op.channels_last. They are ONNX's operators in the opset of the
/// domain's import. Their inputs and outputs, and the weight of Conv, [M, kernel..., C / group], have the channels
/// last. Without an import, the newest opset is assumed.
void channels_last_kernel(KernelContext& ctx);

/// MaxPoolNHWC: MaxPool over [N, H, W, C].
void max_pool_nhwc_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx
