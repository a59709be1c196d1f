#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/has_result.hpp>
#include <graft/quantize/qdq.hpp>

namespace graft::inline v1 {

/// What moving a quantizer across an activation rests on.
enum class ActivationClass : std::uint8_t {
  homogeneous,  ///< positively: f(c x) = c f(x) for c > 0
  clip,         ///< the value, kept between two bounds
  monotone,
  other,
};

struct Activation {
  std::string_view op;
  ActivationClass kind;
  /// The steepest slope with default attributes: an error before the activation grows by no more than this factor.
  /// Infinite where it has none, or depends on an input.
  float slope;
  /// By how many steps of the scale values move at most when the activation is computed of integers and rounded to
  /// them, where it leads out of their dtype nowhere. Infinite where it has no form of integers.
  float rounding = std::numeric_limits<float>::infinity();
};

/// Operators of one tensor, element by element, as they stand behind a Conv.
inline constexpr std::array known_activations{
    Activation{"Relu", ActivationClass::homogeneous, 1, 0},
    Activation{"Abs", ActivationClass::homogeneous, 1, 0},
    Activation{"LeakyRelu", ActivationClass::homogeneous, 1, 0.5f},
    Activation{"PRelu", ActivationClass::homogeneous, std::numeric_limits<float>::infinity(), 0.5f},
    Activation{"Clip", ActivationClass::clip, 1, 0.5f},
    Activation{"Sigmoid", ActivationClass::monotone, 0.25f},
    Activation{"HardSigmoid", ActivationClass::monotone, 0.2f},
    Activation{"Tanh", ActivationClass::monotone, 1},
    Activation{"Elu", ActivationClass::monotone, 1},
    Activation{"Selu", ActivationClass::monotone, 1.7581f},
    Activation{"Celu", ActivationClass::monotone, 1},
    Activation{"Softplus", ActivationClass::monotone, 1},
    Activation{"Softsign", ActivationClass::monotone, 1},
    Activation{"HardSwish", ActivationClass::other, 1.5f},
    Activation{"Mish", ActivationClass::other, 1.0885f},
    Activation{"Gelu", ActivationClass::other, 1.13f},
    Activation{"Swish", ActivationClass::other, 1.1f},
    Activation{"ThresholdedRelu", ActivationClass::other, std::numeric_limits<float>::infinity()},
};

/// nullptr if the node is none of them.
inline const Activation* activation(const Node& node) {
  if (!node.domain().empty() || !detail::has_result(node)) return nullptr;
  const auto place = std::find_if(known_activations.begin(), known_activations.end(),
                                  [&](const Activation& entry) { return entry.op == node.op_type(); });
  return place == known_activations.end() ? nullptr : &*place;
}

/// The steepest slope of this node, with its own attributes and, for PRelu, its slopes; of sums and the like in one of
/// their operands. Infinite where there is none or nobody knows: for other operators, slopes that are not constant, and
/// attributes of a function that its caller gives.
inline float steepest_slope(const Node& node) {
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

/// The slopes below 0 of a positively homogeneous activation, whose slope above is 1: one, or for PRelu one for each of
/// its numbers. nullopt for other operators, and where nobody knows them.
inline std::optional<std::vector<float>> slopes_below_0(const Node& node) {
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
