#pragma once
#include <graft/qonnx/ops/truncation.hpp>

#include <cmath>
#include <limits>

#include <graft/config.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/integer_range.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {

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
