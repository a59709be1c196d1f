#pragma once
#include <graft/quantize/kernel/activation.hpp>

#include <algorithm>
#include <cmath>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const Activation* activation(const Node& node) {
  if (!node.domain().empty() || !detail::has_result(node)) return nullptr;
  const auto place = std::find_if(known_activations.begin(), known_activations.end(),
                                  [&](const Activation& entry) { return entry.op == node.op_type(); });
  return place == known_activations.end() ? nullptr : &*place;
}

GRAFT_INLINE float steepest_slope(const Node& node) {
  constexpr float unknown = std::numeric_limits<float>::infinity();
  if (node.is("Add") || node.is("Sub") || node.is("Max") || node.is("Min")) return 1;
  const Activation* const entry = activation(node);
  if (entry == nullptr) return unknown;
  for (const onnx::AttributeProto& attribute : node.proto().attribute())
    if (is_reference(attribute)) return unknown;
  const auto size = [&](std::string_view name) {
    const float number = std::abs(node.attr<float>(name).value_or(unknown));
    return std::isfinite(number) ? number : unknown;
  };
  if (node.is("LeakyRelu") || node.is("Elu")) return std::max(1.0f, size("alpha"));
  if (node.is("HardSigmoid")) return size("alpha");
  if (node.is("Selu")) return std::max(1.0f, size("alpha")) * size("gamma");
  if (node.is("Celu")) return node.attr<float>("alpha").value_or(1) > 0 ? 1 : unknown;
  if (node.is("PRelu")) {
    const std::optional<Tensor> slopes = detail::constant_input(node, 1);
    if (!slopes || !is_float(slopes->dtype())) return unknown;
    float steepest = 1;
    for (const float slope : slopes->to<float>()) {
      if (!std::isfinite(slope)) return unknown;
      steepest = std::max(steepest, std::abs(slope));
    }
    return steepest;
  }
  return entry->slope;
}

GRAFT_INLINE std::optional<std::vector<float>> slopes_below_0(const Node& node) {
  const Activation* const entry = activation(node);
  if (entry == nullptr || entry->kind != ActivationClass::homogeneous || !std::isfinite(steepest_slope(node)))
    return std::nullopt;
  if (node.is("PRelu")) {
    const Tensor slopes = detail::constant_input(node, 1).value();
    const auto values = slopes.to<float>();
    return std::vector<float>(values.begin(), values.end());
  }
  if (node.is("LeakyRelu")) return std::vector{node.attr<float>("alpha").value()};
  return std::vector{node.is("Abs") ? -1.0f : 0.0f};
}

}  // namespace graft::inline v1
