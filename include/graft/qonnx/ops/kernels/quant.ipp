#pragma once
#include <graft/qonnx/ops/kernels/quant.hpp>

#include <array>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/integer_range.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Of x with parameters scale, zero point and bounds. Where a bit has a sign, they are the two values that there are:
/// 1 and, below it, -1.
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

}  // namespace graft::inline v1::qonnx
