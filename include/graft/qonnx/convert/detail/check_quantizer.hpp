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

/// Whether the value is a float32 constant, all of it this number.
inline bool is_constantly(const Value& value, float number) {
  const std::optional<Tensor> tensor = value.constant();
  return tensor && tensor->dtype() == DType::f32 &&
         std::ranges::all_of(tensor->data<float>(), [number](float x) { return x == number; });
}

/// The inputs of a quantizer behind the first one, which are there; nullopt, and why, if one of them is no constant of
/// float32.
std::optional<std::vector<Tensor>> constant_parameters(const Node& quantizer, std::string& why);

/// Why a conversion that takes such zero points does not take this one; empty if it does.
inline std::string why_not_taken(float zero_point, ZeroPoints taken) {
  if (zero_point == 0 || taken == ZeroPoints::any) return "";
  const bool is_odd = std::fmod(zero_point, 2.0F) != 0;
  if (!is_odd && taken == ZeroPoints::even) return "";
  return "its zero point " + shortest_decimal(zero_point) +
         (is_odd ? " is odd: ties would round otherwise" : " is not 0: what is next to a tie would round otherwise");
}

/// Of a conversion that took a zero point other than 0.
inline std::string inexactness(const std::string& node) {
  return node +
         ": its zero point is not 0; values at ties, or within a rounding error of one, may become the "
         "neighbouring integer";
}

/// Whether a quantizer, by is_quantizer(), computes at all, as far as its parameters and shapes are known: there are as
/// many as it has, float32 or integers, which broadcast to x; scales are positive and finite, bit widths 1 or more,
/// those of the exponent and mantissa of FloatQuant 0 or more. False, and why, if it does not.
bool check_quantizer(const Node& quant, std::string& why);

/// And whether its constant parameters are float32, as conversions need them. canonical_operators() makes them so.
bool check_float_quantizer(const Node& quant, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/check_quantizer.ipp>
#endif
