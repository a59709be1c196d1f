#pragma once
#include <graft/quantize/calibrate/observe.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<const Value*> observable(const Graph& graph) {
  std::vector<const Value*> values;
  const auto add = [&](const Value& value) {
    const bool may_be_float = value.dtype() == DType::f32 || value.dtype() == DType::undefined;
    if (may_be_float && !value.name().empty() && !value.is_constant()) values.push_back(&value);
  };
  for (const Value* const input : graph.inputs()) add(*input);
  for (const Node& node : graph.nodes())
    for (const Value& output : node.outputs()) add(output);
  return values;
}

namespace detail {

GRAFT_INLINE bool may_be_infinite(const Value& value) {
  const Node* const producer = value.producer();
  if (producer == nullptr) return false;
  constexpr std::array products{"Conv", "ConvTranspose", "Gemm", "MatMul"};
  return std::none_of(products.begin(), products.end(), [&](const char* op) { return producer->is(op); });
}

GRAFT_INLINE Tensor made_finite(const Tensor& tensor) {
  constexpr float greatest = std::numeric_limits<float>::max();
  std::vector<float> values = tensor.to<float>();
  for (float& value : values) {
    if (std::isnan(value)) throw Error("holds NaN");
    value = std::clamp(value, -greatest, greatest);
  }
  return Tensor::of<float>(tensor.dims(), values);
}

}  // namespace detail

}  // namespace graft::inline v1
