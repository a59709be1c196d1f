#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx {

/// The numbers that a FloatQuant rounds to, before the scale: each float32, one or as many as broadcast to x.
struct FloatFormat {
  Tensor grain;       ///< 2^-mantissa: the step between numbers from 1 to 2
  Tensor least_step;  ///< between subnormal numbers
  Tensor highest;
  Tensor beyond;  ///< what is above `highest` becomes
};

/// The format of a FloatQuant by its parameters, which are float32 and broadcast to each other. Throws Error, with the
/// field: for widths that are negative, a mantissa of a fraction of a bit, and saturation=0 without has_inf and
/// has_nan.
FloatFormat float_format(const Node& node, const Tensor& exponent, const Tensor& mantissa, const Tensor& bias,
                         const Tensor& max_val);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/float_format.ipp>
#endif
