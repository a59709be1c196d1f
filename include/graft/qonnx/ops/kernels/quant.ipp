#pragma once
#include <graft/qonnx/ops/kernels/quant.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {
namespace detail {

/// For x with parameters scale, zero point and bounds. For one signed bit, the bounds are the two possible values: 1,
/// and -1 below it.
template <class Mode>
struct Quantize {
  Mode mode;
  template <int Width>
  [[gnu::always_inline]] void run(typename Vectors<Width>::Floats& x,
                                  const typename Vectors<Width>::Floats (&parameters)[4]) const {
    const auto& [scale, zero_point, low, high] = parameters;
    typename Vectors<Width>::Floats v = x / scale + zero_point;
    const typename Vectors<Width>::Floats bit = v >= 0.0F ? low : high;
    v = v > high ? high : v;
    v = v < low ? low : v;
    mode.template round<Width>(v);
    v = low > high ? bit : v;
    x = (v - zero_point) * scale;
  }
};

}  // namespace detail

GRAFT_INLINE void quant_kernel(KernelContext& ctx) {
  const Tensor scale = detail::scale_parameter(ctx, 1, "scale");
  const Tensor zero_point = detail::parameter(ctx, 2, "zeropt");
  const Tensor bits = detail::bits_parameter(ctx, 3, "bitwidth");
  const bool signs = is_signed(ctx.node()), narrow = is_narrow(ctx.node());
  const auto range = [&](float n) {
    return is_bipolar(n, signs) ? IntegerRange{1, -1} : integer_range(n, signs, narrow);
  };
  const Tensor low = detail::map(bits, [&](float n) { return range(n).min; });
  const Tensor high = detail::map(bits, [&](float n) { return range(n).max; });
  detail::visit_rounding(rounding_mode(ctx.node()), [&]<class Mode>(const Mode& mode) {
    const std::array<Tensor, 4> parameters{scale, zero_point, low, high};
    const detail::Quantize<Mode> quantize{mode};
    ctx.set_output(0, detail::elementwise(quantize, detail::take_x(ctx), parameters, ctx.parallel()));
  });
}

namespace detail {

struct Bipolarize {
  template <int Width>
  [[gnu::always_inline]] void run(typename Vectors<Width>::Floats& x,
                                  const typename Vectors<Width>::Floats (&scale)[1]) const {
    x = x >= 0.0F ? scale[0] : -scale[0];
  }
};

}  // namespace detail

GRAFT_INLINE void bipolar_quant_kernel(KernelContext& ctx) {
  const Tensor scale = detail::scale_parameter(ctx, 1, "scale");
  ctx.set_output(0, detail::elementwise(detail::Bipolarize(), detail::take_x(ctx), std::array{scale}, ctx.parallel()));
}

namespace detail {

/// For x with parameters scale, 2^-mantissa, the least step, the highest value, and the replacement for numbers beyond
/// it.
template <class Mode>
struct QuantizeFloat {
  Mode mode;
  template <int Width>
  [[gnu::always_inline]] void run(typename Vectors<Width>::Floats& x,
                                  const typename Vectors<Width>::Floats (&parameters)[5]) const {
    using Floats = typename Vectors<Width>::Floats;
    using Bits = typename Vectors<Width>::Bits;
    const auto& [scale, grain, least_step, highest, beyond] = parameters;
    constexpr std::int32_t exponent = 0x7f800000;
    const Floats v = x / scale;
    const Floats magnitude = (v < 0.0F ? -v : v) + std::numeric_limits<float>::min();
    const Bits power = __builtin_bit_cast(Bits, magnitude) & exponent;
    Floats step = __builtin_bit_cast(Floats, power) * grain;
    step = step < least_step ? least_step : step;
    Floats q = v / step;
    mode.template round<Width>(q);
    q = q * step;
    q = q > highest ? beyond : q < -highest ? -beyond : q;
    x = q * scale;
  }
};

}  // namespace detail

GRAFT_INLINE void float_quant_kernel(KernelContext& ctx) {
  const Tensor scale = detail::scale_parameter(ctx, 1, "scale");
  const Tensor exponent = detail::parameter(ctx, 2, "exponent_bitwidth");
  const Tensor mantissa = detail::parameter(ctx, 3, "mantissa_bitwidth");
  const Tensor bias = detail::parameter(ctx, 4, "exponent_bias");
  const Tensor max_val = detail::parameter(ctx, 5, "max_val");
  const auto [grain, least_step, highest, beyond] = float_format(ctx.node(), exponent, mantissa, bias, max_val);
  const std::array<Tensor, 5> parameters{scale, grain, least_step, highest, beyond};
  detail::visit_rounding(rounding_mode(ctx.node()), [&]<class Mode>(const Mode& mode) {
    const detail::QuantizeFloat<Mode> quantize{mode};
    ctx.set_output(0, detail::elementwise(quantize, detail::take_x(ctx), parameters, ctx.parallel()));
  });
}

GRAFT_INLINE int trunc_version(const Node& node) {
  if (node.opset() == 0) return node.input_count() == 6 ? 2 : 1;
  return node.opset() >= 2 ? 2 : 1;
}

namespace detail {

/// Both versions with different parameters. Version 1 has infinite bounds.
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

inline void truncate(KernelContext& ctx, const Tensor& scale, const Tensor& zero_point, const Truncation& by) {
  const std::array<Tensor, 7> parameters{scale, zero_point, by.divisor, by.lowest, by.highest, by.zero_point, by.scale};
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
    return detail::truncate(ctx, scale, zero_point, truncation_v1(scale, zero_point, in_bits, out_bits));
  }
  const Tensor out_scale = detail::scale_parameter(ctx, 4, "out_scale");
  const Tensor out_bits = detail::bits_parameter(ctx, 5, "out_bitwidth");
  detail::truncate(ctx, scale, zero_point, truncation_v2(ctx.node(), scale, zero_point, out_scale, out_bits));
}

}  // namespace graft::inline v1::qonnx
