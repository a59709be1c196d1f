#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/quantize.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/kernels/pool.hpp>

namespace graft::inline v1::kernels::detail {

/// A quantized input as three inputs from `first` on: the tensor, its scale, its zero point.
struct QuantizedInput {
  const Tensor& x;
  std::vector<float> scale;
  const Tensor* zero;

  QuantizedInput(const KernelContext& ctx, std::size_t first)
      : x(ctx.input(first)), scale(ctx.input(first + 1).to<float>()), zero(ctx.optional_input(first + 2)) {}

  /// One scale for all, or one for each slice along the axis.
  Granularity granularity(std::size_t axis) const {
    if (scale.size() == 1) return Granularity(x.dims());
    if (axis >= x.rank() || to_int(scale.size()) != x.dims()[axis])
      throw failure({scale.size(), " scales for an input of ", x.dims()});
    return Granularity(x.dims(), axis);
  }
  Tensor values() const { return dequantize(x, scale, zero, granularity(0)); }
};

/// x less its zero point, in floats, which hold such integers and their short sums of products exactly. `zero` has one
/// number, or one for each slice along the axis.
inline Tensor centered(const Tensor& x, const Tensor* zero, std::size_t axis) {
  const std::size_t count = zero == nullptr ? 1 : to_size(zero->size());
  if (count > 1 && (axis >= x.rank() || to_int(count) != x.dims()[axis]))
    throw failure({count, " zero points for an input of ", x.dims()});
  return dequantize(x, std::vector<float>(count, 1.0F), zero,
                    count == 1 ? Granularity(x.dims()) : Granularity(x.dims(), axis));
}

/// Quantizes to the scale and the zero point that two inputs from `first` on hold.
inline Tensor requantize(const KernelContext& ctx, std::size_t first, Tensor real) {
  const Tensor& scale = ctx.input(first);
  const Tensor* zero = ctx.optional_input(first + 1);
  if (scale.size() != 1) throw failure({"a scale of ", scale.dims(), " for an output"});
  const Dims dims = real.dims();
  return quantize(Quotients(std::move(real), scale, DType::f32), Granularity(dims), dims,
                  {zero ? zero->item<float>() : 0.0F}, zero ? zero->dtype() : DType::u8);
}

/// x * factors, one for all or one for each slice along the axis.
inline Tensor scaled(Tensor x, const std::vector<float>& factors, std::size_t axis) {
  Dims dims(x.rank() - axis, 1);
  dims[0] = to_int(factors.size());
  return arithmetic<Mul>(std::move(x), Tensor::of(dims, factors));
}

}  // namespace graft::inline v1::kernels::detail

namespace graft::inline v1::kernels {

/// Sums integers as QLinearConv's accumulator does, adds the integer bias, and scales once.
inline void qlinear_conv(KernelContext& ctx) {
  const detail::QuantizedInput x(ctx, 0);
  const detail::QuantizedInput w(ctx, 3);
  if (x.scale.size() != 1) throw detail::failure({x.scale.size(), " scales for an input of ", x.x.dims()});
  const Tensor bias = ctx.has_input(8) ? detail::cast(ctx.input(8), DType::f32) : Tensor();
  Tensor y = detail::conv<float>(detail::centered(x.x, x.zero, 1), detail::centered(w.x, w.zero, 0),
                                 bias ? &bias : nullptr, detail::conv_window(ctx, x.x, w.x),
                                 ctx.attr<std::int64_t>("group"));
  std::vector<float> factors = w.scale;
  for (float& factor : factors) factor *= x.scale[0];
  ctx.set_output(0, detail::requantize(ctx, 6, detail::scaled(std::move(y), factors, 1)));
}

/// The scale of b may have one number for each column.
inline void qlinear_matmul(KernelContext& ctx) {
  const detail::QuantizedInput a(ctx, 0);
  const detail::QuantizedInput b(ctx, 3);
  if (a.scale.size() != 1) throw detail::failure({a.scale.size(), " scales for an input of ", a.x.dims()});
  Tensor y = detail::matmul(detail::centered(a.x, a.zero, 0), detail::centered(b.x, b.zero, b.x.rank() - 1));
  std::vector<float> factors = b.scale;
  for (float& factor : factors) factor *= a.scale[0];
  const std::size_t last = y.rank() == 0 ? 0 : y.rank() - 1;
  ctx.set_output(0, detail::requantize(ctx, 6, detail::scaled(std::move(y), factors, last)));
}

/// To i32, in double so that no sum is rounded.
inline void conv_integer(KernelContext& ctx) {
  const Tensor x = detail::cast(detail::centered(ctx.input(0), ctx.optional_input(2), 1), DType::f64);
  const Tensor w = detail::cast(detail::centered(ctx.input(1), ctx.optional_input(3), 0), DType::f64);
  const detail::Window window = detail::conv_window(ctx, x, w);
  ctx.set_output(
      0, detail::cast(detail::conv<double>(x, w, nullptr, window, ctx.attr<std::int64_t>("group")), DType::i32));
}

inline void matmul_integer(KernelContext& ctx) {
  const Tensor a = detail::cast(detail::centered(ctx.input(0), ctx.optional_input(2), ctx.input(0).rank() - 2),
                                DType::i32);
  const Tensor b = detail::cast(detail::centered(ctx.input(1), ctx.optional_input(3), ctx.input(1).rank() - 1),
                                DType::i32);
  ctx.set_output(0, detail::matmul(a, b));
}

/// com.microsoft QLinearAdd and QLinearMul.
template <class Op>
void qlinear_binary(KernelContext& ctx) {
  const detail::QuantizedInput a(ctx, 0);
  const detail::QuantizedInput b(ctx, 3);
  ctx.set_output(0, detail::requantize(ctx, 6, detail::arithmetic<Op>(a.values(), b.values())));
}

/// com.microsoft QLinearGlobalAveragePool.
inline void qlinear_global_average_pool(KernelContext& ctx) {
  if (ctx.attr_or<std::int64_t>("channels_last", 0) != 0) throw Error("only 0 is supported").field("channels_last");
  const detail::QuantizedInput x(ctx, 0);
  ctx.set_output(0, detail::requantize(ctx, 3, detail::global_mean(x.values())));
}

inline void add_qlinear(Kernels& kernels) {
  kernels.add("QLinearConv", qlinear_conv)
      .add("QLinearMatMul", qlinear_matmul)
      .add("ConvInteger", conv_integer)
      .add("MatMulInteger", matmul_integer)
      .add("com.microsoft::QLinearConv", qlinear_conv)
      .add("com.microsoft::QLinearAdd", qlinear_binary<detail::Add>)
      .add("com.microsoft::QLinearMul", qlinear_binary<detail::Mul>)
      .add("com.microsoft::QLinearGlobalAveragePool", qlinear_global_average_pool);
}

}  // namespace graft::inline v1::kernels
