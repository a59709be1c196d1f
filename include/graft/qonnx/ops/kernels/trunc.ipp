#pragma once
#include <graft/qonnx/ops/kernels/trunc.hpp>

#include <array>
#include <string>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/qonnx/ops/truncation.hpp>

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

inline void truncate(KernelContext& ctx, const Tensor& scale, const Tensor& zero_point, const Truncation& by) {
  const std::array<Tensor, 7> parameters{scale,      zero_point,    by.divisor, by.lowest,
                                         by.highest, by.zero_point, by.scale};
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
  detail::truncate(ctx, scale, zero_point,
                   truncation_v2(ctx.node(), scale, zero_point, out_scale, out_bits));
}

}  // namespace graft::inline v1::qonnx
