#pragma once
#include <graft/qonnx/ops/formats.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE IntegerRange integer_range(float bits, bool is_signed, bool is_narrow) {
  if (is_signed) {
    const float half = std::exp2(bits - 1);
    return {is_narrow ? 1 - half : -half, half - 1};
  }
  return {0, std::exp2(bits) - (is_narrow ? 2.0F : 1.0F)};
}

GRAFT_INLINE FloatFormat float_format(const Node& node, const Tensor& exponent, const Tensor& mantissa,
                                      const Tensor& bias, const Tensor& max_val) {
  const auto flag = [&](std::string_view name, std::int64_t absent) {
    return node.attr<std::int64_t>(name).value_or(absent);
  };
  detail::check_each(
      exponent, "exponent_bitwidth", [](float n) { return n >= 0; }, "a number of bits");
  detail::check_each(
      mantissa, "mantissa_bitwidth", [](float n) { return n >= 0 && n == std::floor(n); }, "a whole number of bits");
  Tensor least_step = detail::combine(bias, mantissa, [](float b, float m) { return std::exp2(1 - b - m); });
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

GRAFT_INLINE Truncation truncation_v1(const Tensor& scale, const Tensor& zero_point, const Tensor& in_bits,
                                      const Tensor& out_bits) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {detail::combine(in_bits, out_bits, [](float in, float out) { return std::exp2(in - out); }),
          Tensor::scalar(-infinity), Tensor::scalar(infinity), zero_point, scale};
}

GRAFT_INLINE Truncation truncation_v2(const Node& node, const Tensor& scale, const Tensor& zero_point,
                                      const Tensor& out_scale, const Tensor& out_bits) {
  const Tensor divisor = detail::combine(out_scale, scale, [](float out, float in) {
    return std::exp2(round(std::log2(out / in), RoundingMode::half_even));
  });
  const bool signs = is_signed(node), narrow = is_narrow(node);
  const auto bound = [&](float IntegerRange::*end) {
    return detail::map(out_bits, [&](float n) { return integer_range(n, signs, narrow).*end; });
  };
  return {divisor, bound(&IntegerRange::min), bound(&IntegerRange::max),
          detail::combine(zero_point, divisor, [](float z, float t) { return z / t; }), out_scale};
}

}  // namespace graft::inline v1::qonnx
