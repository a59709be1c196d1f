#pragma once
#include <graft/qonnx/ops/kernels/float_quant.hpp>

#include <array>
#include <cstdint>
#include <limits>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/float_format.hpp>
#include <graft/qonnx/ops/quantizer.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Of x with parameters scale, 2^-mantissa, the least step, the highest value, and what numbers beyond become.
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
  const auto [grain, least_step, highest, beyond] =
      float_format(ctx.node(), exponent, mantissa, bias, max_val);
  const std::array<Tensor, 5> parameters{scale, grain, least_step, highest, beyond};
  detail::visit_rounding(rounding_mode(ctx.node()), [&]<class Mode>(const Mode& mode) {
    const detail::QuantizeFloat<Mode> quantize{mode};
    ctx.set_output(0, detail::elementwise(quantize, detail::take_x(ctx), parameters, ctx.parallel()));
  });
}

}  // namespace graft::inline v1::qonnx
