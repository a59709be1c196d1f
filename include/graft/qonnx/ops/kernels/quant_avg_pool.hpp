#pragma once
#include <cstdint>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// The number of bits by which a QuantAvgPool2d shifts its sums: the bits that the greatest sum of unsigned inputs of
/// `ibits` needs beyond `obits`, at least 0. Throws Error for invalid widths and kernels.
std::int64_t pool_shift(const Node& node);

/// QuantAvgPool2d: the sum over each kernel x kernel window, to the nearest integer, shifted right by pool_shift(). The
/// data_layout is NCHW or NHWC; there is no padding. Throws Error for any other layout, and for a window that does not
/// fit the image.
void quant_avg_pool_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx
