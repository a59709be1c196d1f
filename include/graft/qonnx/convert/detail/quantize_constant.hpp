#pragma once
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/quantizer.hpp>

namespace graft::inline v1::qonnx::detail {

/// A float32 tensor after each step of a Quant.
struct QuantizedValues {
  Tensor integers;  ///< in float32 like the others, of the shape of x
  Tensor steps;     ///< integers - zero point
  Tensor values;    ///< steps * scale
};

/// Quantizes a tensor in float32, element by element, as Quant does, with constants that broadcast to x. Throws Error
/// if one does not.
QuantizedValues quantize_constant(const Tensor& x, const Quantizer& quantizer);

}  // namespace graft::inline v1::qonnx::detail
