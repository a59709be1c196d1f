#pragma once
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/quantizer.hpp>

namespace graft::inline v1::qonnx::detail {

/// A float32 tensor as a Quant rounds it, and what it then makes of the integers.
struct QuantizedValues {
  Tensor integers;  ///< in float32 as the others, of the shape of x
  Tensor steps;     ///< integers - zero point
  Tensor values;    ///< steps * scale
};

/// Quantizes a tensor in float32, element by element, as Quant does with constants of any shape that broadcasts to x.
/// Throws Error if one does not.
QuantizedValues quantize_constant(const Tensor& x, const Quantizer& quantizer);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/quantize_constant.ipp>
#endif
