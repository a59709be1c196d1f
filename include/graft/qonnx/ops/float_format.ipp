#pragma once
#include <graft/qonnx/ops/float_format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/error.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE FloatFormat float_format(const Node& node, const Tensor& exponent, const Tensor& mantissa,
                                      const Tensor& bias, const Tensor& max_val) {
  const auto flag = [&](std::string_view name, std::int64_t absent) {
    return node.attr<std::int64_t>(name).value_or(absent);
  };
  detail::check_each(exponent, "exponent_bitwidth", [](float n) { return n >= 0; }, "a number of bits");
  detail::check_each(mantissa, "mantissa_bitwidth", [](float n) { return n >= 0 && n == std::floor(n); },
                     "a whole number of bits");
  Tensor least_step =
      detail::combine(bias, mantissa, [](float b, float m) { return std::exp2(1 - b - m); });
  const Tensor greatest_power =
      detail::combine(exponent, bias, [](float e, float b) { return std::exp2(std::exp2(e) - 1 - b); });
  const Tensor greatest =
      detail::combine(greatest_power, mantissa, [](float p, float m) { return (2 - std::exp2(-m)) * p; });
  Tensor highest = detail::combine(greatest, max_val, [](float a, float b) { return b < a ? b : a; });
  Tensor beyond = highest;
  if (flag("saturation", 1) == 0) {
    const bool infinite = flag("has_inf", 0) != 0;
    if (!infinite && flag("has_nan", 0) == 0)
      throw Error("is 0, but the format has neither infinities nor NaN").field("saturation");
    using Limits = std::numeric_limits<float>;
    beyond = Tensor::scalar(infinite ? Limits::infinity() : Limits::quiet_NaN());
  }
  Tensor grain = detail::map(mantissa, [](float m) { return std::exp2(-m); });
  return {std::move(grain), std::move(least_step), std::move(highest), std::move(beyond)};
}

}  // namespace graft::inline v1::qonnx
