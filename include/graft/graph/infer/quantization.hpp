#pragma once
#include <cstddef>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/elementwise.hpp>

namespace graft::inline v1::infer {

/// QuantizeLinear. The dtype is that of the zero point, else output_dtype (21), else u8.
inline Verdict quantize_linear(InferContext& c) {
  if (!c.has(2)) {
    const DType dtype = c.attr<DType>("output_dtype").value_or(DType::undefined);
    c.set_dtype(0, dtype == DType::undefined ? DType::u8 : dtype);
  }
  return same_shape(c);
}

/// DequantizeLinear. The dtype is output_dtype (23), else that of the scale, which before version 19 is f32.
inline Verdict dequantize_linear(InferContext& c) {
  const DType dtype = c.attr<DType>("output_dtype").value_or(DType::undefined);
  if (dtype != DType::undefined) {
    c.set_dtype(0, dtype);
  } else if (c.dtype(1) != DType::undefined) {
    c.set_dtype(0, c.dtype(1));
  }
  return same_shape(c);
}

/// DynamicQuantizeLinear. Outputs: y, and its scale and zero point, which are scalars.
inline Verdict dynamic_quantize_linear(InferContext& c) {
  c.set_shape(1, std::vector<Dim>());
  c.set_shape(2, std::vector<Dim>());
  return same_shape(c);
}

}  // namespace graft::inline v1::infer
