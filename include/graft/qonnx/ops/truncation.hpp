#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx {

/// What a Trunc, of either version, does with v = half_even(x / scale + zero point):
/// (round(clamp(v / divisor)) - zero_point) * scale. Each is float32, one number or as many as broadcast to x.
struct Truncation {
  Tensor divisor;
  Tensor lowest, highest;    ///< infinite in version 1
  Tensor zero_point, scale;  ///< of the result
};

/// By its parameters, which are float32 and broadcast to each other.
Truncation truncation_v1(const Tensor& scale, const Tensor& zero_point, const Tensor& in_bits, const Tensor& out_bits);
/// The same of version 2. node: for the attributes signed and narrow.
Truncation truncation_v2(const Node& node, const Tensor& scale, const Tensor& zero_point, const Tensor& out_scale,
                        const Tensor& out_bits);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/truncation.ipp>
#endif
