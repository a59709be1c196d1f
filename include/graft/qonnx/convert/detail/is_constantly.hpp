#pragma once
#include <algorithm>
#include <optional>

#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether the value is a float32 constant, all of it this number.
inline bool is_constantly(const Value& value, float number) {
  const std::optional<Tensor> tensor = value.constant();
  return tensor && tensor->dtype() == DType::f32 &&
         std::ranges::all_of(tensor->data<float>(), [number](float x) { return x == number; });
}

}  // namespace graft::inline v1::qonnx::detail
