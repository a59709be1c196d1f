#pragma once
#include <graft/qonnx/ops/kernels/trunc.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/integer_range.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE int trunc_version(const Node& node) {
  if (node.opset() == 0) return node.input_count() == 6 ? 2 : 1;
  return node.opset() >= 2 ? 2 : 1;
}

namespace detail {

/// Both versions are this, of other parameters. Version 1 has infinite bounds.
template <class Mode>
struct Truncate {
  Mode mode;
  template <int Width>
  [[gnu::always_inline]] void run(typename Vectors<Width>::Floats& x,
                                  const typename Vectors<Width>::Floats (&parameters)[7]) const {
    const auto& [scale, zero_point, divisor, low, high, new_zero_point, new_scale] = parameters;
    typename Vectors<Width>::Floats v = x / scale + zero_point;
    Vectors<Width>::round_half_even(v);
    v = v / divisor;
    v = v > high ? high : v;
    v = v < low ? low : v;
    mode.template round<Width>(v);
    x = (v - new_zero_point) * new_scale;
  }
};

inline void truncate(KernelContext& ctx, const std::array<Tensor, 7>& parameters) {
  visit_rounding(rounding_mode(ctx.node()), [&]<class Mode>(const Mode& mode) {
    ctx.set_output(0, elementwise(Truncate<Mode>{mode}, take_x(ctx), parameters, ctx.parallel()));
  });
}

inline void check_input_count(const KernelContext& ctx, std::size_t count) {
  if (ctx.input_count() != count)
    throw Error("has " + std::to_string(ctx.input_count()) + " inputs, not the " + std::to_string(count) +
                " of its version");
}

}  // namespace detail

GRAFT_INLINE void trunc_kernel(KernelContext& ctx) {
  const int version = trunc_version(ctx.node());
  detail::check_input_count(ctx, version == 1 ? 5 : 6);
  const Tensor scale = detail::scale_parameter(ctx, 1, "scale");
  const Tensor zero_point = detail::parameter(ctx, 2, "zeropt");
  const Tensor in_bits = detail::bits_parameter(ctx, 3, "in_bitwidth");
  if (version == 1) {
    const Tensor out_bits = detail::bits_parameter(ctx, 4, "out_bitwidth");
    const Tensor divisor = detail::combine(in_bits, out_bits, [](float in, float out) { return std::exp2(in - out); });
    constexpr float infinity = std::numeric_limits<float>::infinity();
    return detail::truncate(ctx, {scale, zero_point, divisor, Tensor::scalar(-infinity), Tensor::scalar(infinity),
                                  zero_point, scale});
  }
  const Tensor out_scale = detail::scale_parameter(ctx, 4, "out_scale");
  const Tensor out_bits = detail::bits_parameter(ctx, 5, "out_bitwidth");
  const Tensor divisor = detail::combine(out_scale, scale, [](float out, float in) {
    return std::exp2(round(std::log2(out / in), RoundingMode::half_even));
  });
  const bool signs = is_signed(ctx.node()), narrow = is_narrow(ctx.node());
  const auto bound = [&](float IntegerRange::*end) {
    return detail::map(out_bits, [&](float n) { return integer_range(n, signs, narrow).*end; });
  };
  const Tensor new_zero_point = detail::combine(zero_point, divisor, [](float z, float t) { return z / t; });
  detail::truncate(ctx, {scale, zero_point, divisor, bound(&IntegerRange::min), bound(&IntegerRange::max),
                         new_zero_point, out_scale});
}

}  // namespace graft::inline v1::qonnx
