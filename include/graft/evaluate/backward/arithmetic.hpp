#pragma once
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/wrapping.hpp>

/// The gradients of Add, Sub, Mul, Div, Sum.
namespace graft::inline v1::standard_kernels::backward {

/// The gradients of a sum of broadcast operands.
inline void sum(BackwardContext& ctx) {
  for (std::size_t i = 0; i < ctx.input_count(); ++i) {
    if (ctx.needs(i)) ctx.set_gradient(i, detail::sum_to(ctx.output_gradient(), ctx.input(i).dims()));
  }
}

inline void sub(BackwardContext& ctx) {
  const Tensor& g = ctx.output_gradient();
  if (ctx.needs(0)) ctx.set_gradient(0, detail::sum_to(g, ctx.input(0).dims()));
  if (ctx.needs(1)) {
    ctx.set_gradient(1, detail::combine(detail::sum_to(g, ctx.input(1).dims()), Tensor::scalar(-1.0F), detail::Mul()));
  }
}

inline void mul(BackwardContext& ctx) {
  for (const std::size_t i : {0U, 1U}) {
    if (!ctx.needs(i)) continue;
    const Tensor g = detail::combine(ctx.output_gradient(), ctx.input(1 - i), detail::Mul(), ctx.parallel());
    ctx.set_gradient(i, detail::sum_to(g, ctx.input(i).dims()));
  }
}

/// y = a / b: the gradient of b is -g a / b^2.
inline void div(BackwardContext& ctx) {
  const Tensor& a = ctx.input(0);
  const Tensor& b = ctx.input(1);
  const auto quotient = [](float x, float y) { return x / y; };
  const Tensor scaled = detail::combine(ctx.output_gradient(), b, quotient, ctx.parallel());
  if (ctx.needs(0)) ctx.set_gradient(0, detail::sum_to(scaled, a.dims()));
  if (!ctx.needs(1)) return;
  const auto negative = [](float x, float y) { return -x * y; };
  const Tensor g = detail::combine(detail::combine(scaled, a, negative, ctx.parallel()), b, quotient, ctx.parallel());
  ctx.set_gradient(1, detail::sum_to(g, b.dims()));
}

inline void add_arithmetic(BackwardKernels& kernels) {
  kernels.add("Add", {7}, sum).add("Sub", {7}, sub).add("Mul", {7}, mul).add("Div", {7}, div).add("Sum", {6}, sum);
}

}  // namespace graft::inline v1::standard_kernels::backward
