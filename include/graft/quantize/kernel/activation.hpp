#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

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
const Activation* activation(const Node& node);

/// The steepest slope of this node, with its own attributes and, for PRelu, its slopes; of sums and the like in one of
/// their operands. Infinite where there is none or nobody knows: for other operators, slopes that are not constant, and
/// attributes of a function that its caller gives.
float steepest_slope(const Node& node);

/// The slopes below 0 of a positively homogeneous activation, whose slope above is 1: one, or for PRelu one for each of
/// its numbers. nullopt for other operators, and where nobody knows them.
std::optional<std::vector<float>> slopes_below_0(const Node& node);

}  // namespace graft::inline v1
