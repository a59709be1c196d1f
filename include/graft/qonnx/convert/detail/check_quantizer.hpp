#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/convert/integer_options.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether the value is a float32 constant whose elements all equal this number.
inline bool is_constantly(const Value& value, float number) {
  const std::optional<Tensor> tensor = value.constant();
  return tensor && tensor->dtype() == DType::f32 &&
         std::ranges::all_of(tensor->data<float>(), [number](float x) { return x == number; });
}

/// The present inputs of a quantizer after the first one; nullopt, and the reason, if one of them is not a constant of
/// float32.
std::optional<std::vector<Tensor>> constant_parameters(const Node& quantizer, std::string& why);

/// The reason why a conversion with this option skips this zero point; empty if it does not.
inline std::string why_not_taken(float zero_point, ZeroPoints taken) {
  if (zero_point == 0 || taken == ZeroPoints::any) return "";
  const bool is_odd = std::fmod(zero_point, 2.0F) != 0;
  if (!is_odd && taken == ZeroPoints::even) return "";
  return "its zero point " + shortest_decimal(zero_point) +
         (is_odd ? " is odd: ties would round otherwise" : " is not 0: what is next to a tie would round otherwise");
}

/// The note of a conversion with a zero point other than 0.
inline std::string inexactness(const std::string& node) {
  return node +
         ": its zero point is not 0; values at ties, or within a rounding error of one, may become the "
         "neighbouring integer";
}

/// Whether a quantizer, by is_quantizer(), can be computed, as far as its parameters and shapes are known. It must have
/// the right number of parameters, which are float32 or integers and broadcast to x. Scales must be positive and
/// finite, bit widths at least 1, and those of FloatQuant's exponent and mantissa at least 0. Returns false, and the
/// reason, if it cannot.
bool check_quantizer(const Node& quant, std::string& why);

/// Also checks that its constant parameters are float32, as conversions need them. canonical_operators() makes them so.
bool check_float_quantizer(const Node& quant, std::string& why);

}  // namespace graft::inline v1::qonnx::detail
