#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/qlinear.hpp>
#include <graft/evaluate/kernels/quantize.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Integer products in float: times the product of the two scales, plus the bias. The scale of b may have one number
/// for each column.
inline Tensor scaled_product(const KernelContext& ctx, const IntegerFactor& a, const IntegerFactor& b,
                             const Tensor& a_scale, const Tensor& b_scale, const Tensor* bias) {
  Tensor scales = arithmetic<Mul>(b_scale, a_scale, {}, ctx.parallel());
  Tensor y = cast(integer_matmul(ctx, a, b), DType::f32);
  y = arithmetic<Mul>(std::move(y), scales, {}, ctx.parallel());
  return bias == nullptr ? y : arithmetic<Add>(std::move(y), *bias, {}, ctx.parallel());
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// com.microsoft MatMulIntegerToFloat: A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias.
inline void matmul_integer_to_float(KernelContext& ctx) {
  const detail::IntegerFactor a(ctx.input(0), ctx.optional_input(4)), b(ctx.input(1), ctx.optional_input(5));
  ctx.set_output(0, detail::scaled_product(ctx, a, b, ctx.input(2), ctx.input(3), ctx.optional_input(6)));
}

/// com.microsoft DynamicQuantizeMatMul: A, B, b_scale, b_zero_point, bias.
inline void dynamic_quantize_matmul(KernelContext& ctx) {
  const detail::DynamicallyQuantized a(ctx.input(0), ctx.parallel());
  const detail::IntegerFactor b(ctx.input(1), ctx.optional_input(3));
  ctx.set_output(0, detail::scaled_product(ctx, {a.data, &a.zero_point}, b, a.scale, ctx.input(2),
                                           ctx.optional_input(4)));
}

inline void add_matmul_integer_to_float(Kernels& kernels) {
  kernels.add("com.microsoft::MatMulIntegerToFloat", matmul_integer_to_float)
      .add("com.microsoft::DynamicQuantizeMatMul", dynamic_quantize_matmul);
}

}  // namespace graft::inline v1::standard_kernels
