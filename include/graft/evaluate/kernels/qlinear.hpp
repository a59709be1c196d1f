#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/quantize.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/kernels/pool.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// x minus its zero point, in floats, which hold such integers exactly. `zero` has one number, or one for each slice
/// along the axis.
inline Tensor centered(const Tensor& x, const Tensor* zero, std::size_t axis, const ParallelFor* parallel = nullptr) {
  const std::size_t count = zero == nullptr ? 1 : to_size(zero->size());
  if (count != 1 && (axis >= x.rank() || to_int(count) != x.dims()[axis]))
    throw failure({count, " zero points for an input of ", x.dims()});
  return dequantize(x, std::vector<float>(count, 1.0F), zero,
                    count == 1 ? Granularity(x.dims()) : Granularity(x.dims(), axis), parallel);
}

/// A quantized input as three inputs from `first` on: tensor, scale, zero point.
struct QuantizedInput {
  const Tensor& x;
  std::vector<float> scale;
  const Tensor* zero;
  const ParallelFor* parallel;

  QuantizedInput(const KernelContext& ctx, std::size_t first)
      : x(ctx.input(first)),
        scale(ctx.input(first + 1).to<float>()),
        zero(ctx.optional_input(first + 2)),
        parallel(ctx.parallel()) {}

  /// One scale for all, or one for each slice along the axis.
  Granularity granularity(std::size_t axis) const {
    if (scale.size() == 1) return Granularity(x.dims());
    if (axis >= x.rank() || to_int(scale.size()) != x.dims()[axis])
      throw failure({scale.size(), " scales for an input of ", x.dims()});
    return Granularity(x.dims(), axis);
  }
  float only_scale() const {
    if (scale.size() == 1) return scale[0];
    throw failure({scale.size(), " scales for an input of ", x.dims()});
  }
  float only_zero() const { return zero != nullptr ? zero->item<float>() : 0.0F; }
  Tensor values() const { return dequantize(x, scale, zero, granularity(0), parallel); }
};

/// The tensor and zero point of an integer factor.
struct IntegerFactor {
  const Tensor& x;
  const Tensor* zero;

  IntegerFactor(const Tensor& tensor, const Tensor* zero_point) : x(tensor), zero(zero_point) {}
  IntegerFactor(const QuantizedInput& input) : x(input.x), zero(input.zero) {}
};

/// The type of a sum of this many products plus a number up to `start`. Floats, if they hold it exactly. Otherwise i32,
/// to which partial float sums are added, and which may overflow, as in ONNX. For types of more than 8 bits, double.
inline DType accumulator(const IntegerFactor& a, const IntegerFactor& b, std::int64_t count, double start = 0) {
  for (const DType dtype : {a.x.dtype(), b.x.dtype()}) {
    if (!is_integer(dtype) || bits(dtype) > 8) return DType::f64;
  }
  return 255.0 * 255.0 * static_cast<double>(count) + start < 1 << 24 ? DType::f32 : DType::i32;
}

/// 0 for an absent tensor.
inline double greatest_magnitude(const Tensor& x) {
  double most = 0;
  for (const double each : x ? x.to<double>() : std::vector<double>()) most = std::max(most, std::abs(each));
  return most;
}

/// Sums of x * w, each minus its zero point, plus the bias if present, in a type that holds them exactly.
inline Tensor integer_conv(const KernelContext& ctx, const IntegerFactor& x, const IntegerFactor& w,
                           const Tensor& bias = {}) {
  const Window window = conv_window(ctx, x.x.dims(), w.x.dims());
  const Tensor image = centered(x.x, x.zero, 1, ctx.parallel()), filters = centered(w.x, w.zero, 0, ctx.parallel());
  const DType sums = accumulator(x, w, extent(filters.dims(), 1, filters.rank()), greatest_magnitude(bias));
  const DType factors = sums == DType::f64 ? sums : DType::f32;
  const Tensor biases = bias ? cast(bias, sums) : Tensor();
  return visit<float, double, std::int32_t>(sums, [&]<class T>() {
    return conv<T>(cast(image, factors), cast(filters, factors), bias ? &biases : nullptr, window,
                   ctx.attr<std::int64_t>("group"), ctx.parallel());
  });
}

/// The same for matrices. The zero point of a may have one number for each row, that of b one for each column.
inline Tensor integer_matmul(const KernelContext& ctx, const IntegerFactor& a, const IntegerFactor& b) {
  const std::size_t rank = b.x.rank(), rows = a.x.rank() < 2 ? 0 : a.x.rank() - 2;
  if (rank == 0) throw Error("a scalar cannot be an operand of a product");
  const DType sums = accumulator(a, b, b.x.dims()[rank == 1 ? 0 : rank - 2]);
  const DType factors = sums == DType::f64 ? sums : DType::f32;
  return matmul(cast(centered(a.x, a.zero, rows, ctx.parallel()), factors),
                cast(centered(b.x, b.zero, rank - 1, ctx.parallel()), factors), ctx.parallel(), sums == DType::i32);
}

/// The same for two matrices, transposed according to the attributes, plus the bias if present.
inline Tensor integer_gemm(const KernelContext& ctx, const IntegerFactor& a, const IntegerFactor& b,
                           const Tensor& bias) {
  if (a.x.rank() != 2 || b.x.rank() != 2) throw failure({"factors ", a.x, " and ", b.x, " are not matrices"});
  const bool transposed_a = ctx.attr_or<std::int64_t>("transA", 0) != 0,
             transposed_b = ctx.attr_or<std::int64_t>("transB", 0) != 0;
  Tensor left = centered(a.x, a.zero, transposed_a ? 1 : 0, ctx.parallel()),
         right = centered(b.x, b.zero, transposed_b ? 0 : 1, ctx.parallel());
  if (transposed_a) left = permuted(left, {1, 0});
  if (transposed_b) right = permuted(right, {1, 0});
  const DType sums = accumulator(a, b, right.dims()[0], greatest_magnitude(bias));
  const DType factors = sums == DType::f64 ? sums : DType::f32;
  Tensor y = matmul(cast(std::move(left), factors), cast(std::move(right), factors), ctx.parallel(),
                    sums == DType::i32);
  return bias ? arithmetic_onto<Add>(std::move(y), "bias", cast(bias, sums)) : y;
}

/// The output's scale and zero point, as two inputs from `first` on.
struct QuantizedOutput {
  float scale;
  float zero;
  DType dtype;
  const ParallelFor* parallel;

  QuantizedOutput(const KernelContext& ctx, std::size_t first) : parallel(ctx.parallel()) {
    const Tensor& scales = ctx.input(first);
    const Tensor* zeros = ctx.optional_input(first + 1);
    if (scales.size() != 1) throw failure({"a scale of ", scales.dims(), " for an output"});
    scale = scales.item<float>();
    zero = zeros ? zeros->item<float>() : 0.0F;
    dtype = zeros ? zeros->dtype() : DType::u8;
  }

  /// round(x / divisor) + shift, saturated.
  Tensor quantized(Tensor x, float divisor, float shift) const {
    const Dims dims = x.dims();
    const Quotients quotients(std::move(x), Tensor::scalar(divisor), DType::f32, parallel);
    return quantize(quotients, Granularity(dims), dims, {shift}, dtype);
  }
};

/// Products of x and w, scaled to y by one factor. w has one scale, or one for each slice along the axis.
inline Tensor rescaled(Tensor products, float x_scale, std::vector<float> w_scales, const QuantizedOutput& y,
                       std::size_t axis) {
  for (float& scale : w_scales) scale = x_scale * scale / y.scale;
  Dims dims;
  if (w_scales.size() != 1) {
    if (axis >= products.rank() || to_int(w_scales.size()) != products.dims()[axis])
      throw failure({w_scales.size(), " scales of weights for products of ", products.dims()});
    dims.assign(products.rank() - axis, 1);
    dims[0] = products.dims()[axis];
  }
  return y.quantized(arithmetic<Mul>(std::move(products), Tensor::of(dims, w_scales), {}, y.parallel), 1, y.zero);
}

/// For an integer of at most 16 bits and a float, in double.
inline Tensor exact_product(const Tensor& x, float factor) {
  return arithmetic<Mul>(cast(x, DType::f64), Tensor::scalar<double>(factor));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Sums integers as QLinearConv's accumulator does, adds the integer bias, and scales once.
inline void qlinear_conv(KernelContext& ctx) {
  const detail::QuantizedInput x(ctx, 0);
  const detail::QuantizedInput w(ctx, 3);
  Tensor y = detail::integer_conv(ctx, x, w, ctx.has_input(8) ? ctx.input(8) : Tensor());
  y = detail::cast(std::move(y), DType::f32);
  ctx.set_output(0, detail::rescaled(std::move(y), x.only_scale(), w.scale, {ctx, 6}, 1));
}

/// The scale of b may have one number for each column.
inline void qlinear_matmul(KernelContext& ctx) {
  const detail::QuantizedInput a(ctx, 0);
  const detail::QuantizedInput b(ctx, 3);
  Tensor y = detail::integer_matmul(ctx, a, b);
  y = detail::cast(std::move(y), DType::f32);
  const std::size_t last = y.rank() == 0 ? 0 : y.rank() - 1;
  ctx.set_output(0, detail::rescaled(std::move(y), a.only_scale(), b.scale, {ctx, 6}, last));
}

/// com.microsoft QGemm: adds the integer bias to the sums, and scales once. Without a scale of y, the result is float.
inline void qgemm(KernelContext& ctx) {
  const detail::QuantizedInput a(ctx, 0), b(ctx, 3);
  const Tensor bias = ctx.has_input(6) ? ctx.input(6) : Tensor();
  Tensor y = detail::cast(detail::integer_gemm(ctx, a, b, bias), DType::f32);
  const float factor = ctx.attr_or<float>("alpha", 1) * a.only_scale();
  if (ctx.has_input(7)) {
    ctx.set_output(0, detail::rescaled(std::move(y), factor, b.scale, {ctx, 7}, 1));
    return;
  }
  std::vector<float> scales = b.scale;
  for (float& scale : scales) scale *= factor;
  if (scales.size() != 1 && detail::to_int(scales.size()) != y.dims()[1])
    throw detail::failure({scales.size(), " scales of b for a product of ", y.dims()});
  const Dims dims{detail::to_int(scales.size())};
  ctx.set_output(0, detail::arithmetic<detail::Mul>(std::move(y), Tensor::of(dims, scales), {}, ctx.parallel()));
}

inline void conv_integer(KernelContext& ctx) {
  const detail::IntegerFactor x(ctx.input(0), ctx.optional_input(2)), w(ctx.input(1), ctx.optional_input(3));
  Tensor y = detail::integer_conv(ctx, x, w);
  ctx.set_output(0, detail::cast(std::move(y), DType::i32));
}

/// Rejects zero points of more dims, with one number for each row of each matrix.
inline void matmul_integer(KernelContext& ctx) {
  const detail::IntegerFactor a(ctx.input(0), ctx.optional_input(2)), b(ctx.input(1), ctx.optional_input(3));
  Tensor y = detail::integer_matmul(ctx, a, b);
  ctx.set_output(0, detail::cast(std::move(y), DType::i32));
}

/// com.microsoft QLinearAdd: round(a * a_scale / y_scale + (b * b_scale / y_scale + offset)), with the zero points in
/// the offset. This is ONNX Runtime's own operator. To round ties as it does, this rounds floats where its AVX2 kernel
/// does, after each multiply-add. A single number must be b.
inline void qlinear_add(KernelContext& ctx) {
  const std::size_t a_at = ctx.input(0).size() == 1 ? 3 : 0;
  const detail::QuantizedInput a(ctx, a_at);
  const detail::QuantizedInput b(ctx, 3 - a_at);
  const detail::QuantizedOutput y(ctx, 6);
  const float a_ratio = a.only_scale() / y.scale, b_ratio = b.only_scale() / y.scale;
  const float offset = y.zero - std::fma(a_ratio, a.only_zero(), b_ratio * b.only_zero());
  Tensor sums = detail::exact_product(b.x, b_ratio);
  for (double& value : sums.mutable_data<double>()) value = static_cast<float>(value + offset);
  sums = detail::arithmetic<detail::Add>(detail::exact_product(a.x, a_ratio), std::move(sums));
  ctx.set_output(0, y.quantized(detail::cast(std::move(sums), DType::f32), 1, 0));
}

/// com.microsoft QLinearMul.
inline void qlinear_mul(KernelContext& ctx) {
  const detail::QuantizedInput a(ctx, 0);
  const detail::QuantizedInput b(ctx, 3);
  const detail::QuantizedOutput y(ctx, 6);
  ctx.set_output(0, y.quantized(detail::arithmetic<detail::Mul>(a.values(), b.values()), y.scale, y.zero));
}

/// com.microsoft QLinearGlobalAveragePool: scales the sum once.
inline void qlinear_global_average_pool(KernelContext& ctx) {
  if (ctx.attr_or<std::int64_t>("channels_last", 0) != 0) throw Error("only 0 is supported").field("channels_last");
  const detail::QuantizedInput x(ctx, 0);
  const detail::QuantizedOutput y(ctx, 3);
  Tensor sums = detail::global_pool(detail::centered(x.x, x.zero, 0), [&](const auto* image, std::int64_t size) {
    return detail::sum(image, size) * (x.only_scale() / (y.scale * static_cast<float>(size)));
  });
  ctx.set_output(0, y.quantized(std::move(sums), 1, y.zero));
}

inline void add_qlinear(Kernels& kernels) {
  kernels.add("QLinearConv", qlinear_conv)
      .add("QLinearMatMul", qlinear_matmul)
      .add("ConvInteger", conv_integer)
      .add("MatMulInteger", matmul_integer)
      .add("com.microsoft::QLinearConv", qlinear_conv)
      .add("com.microsoft::QGemm", qgemm)
      .add("com.microsoft::QLinearAdd", qlinear_add)
      .add("com.microsoft::QLinearMul", qlinear_mul)
      .add("com.microsoft::QLinearGlobalAveragePool", qlinear_global_average_pool);
}

}  // namespace graft::inline v1::standard_kernels
