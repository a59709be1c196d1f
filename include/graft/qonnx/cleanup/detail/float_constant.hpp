#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// The contents of a float32 constant; nullopt for other values.
inline std::optional<Tensor> floats_of(const Value* value) {
  std::optional<Tensor> tensor = value != nullptr ? value->constant() : std::nullopt;
  if (tensor && tensor->dtype() != DType::f32) tensor.reset();
  return tensor;
}

inline bool are_ones(const Tensor& x) {
  const std::vector<float> values = x.to<float>();
  return std::ranges::all_of(values, [](float value) { return value == 1; });
}

}  // namespace graft::inline v1::qonnx::detail
