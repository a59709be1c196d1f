#pragma once
#include <optional>

#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx::detail {

/// A parameter of a quantizer in float32: exporters write zero points and bit widths as integers too. nullopt if it is
/// of another dtype.
inline std::optional<Tensor> float_parameter(Tensor parameter) {
  if (parameter.dtype() == DType::f32) return parameter;
  if (!is_integer(parameter.dtype())) return std::nullopt;
  return Tensor::of<double>(DType::f32, parameter.dims(), parameter.to<double>());
}

}  // namespace graft::inline v1::qonnx::detail
