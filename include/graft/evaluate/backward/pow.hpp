#pragma once
#include <cmath>
#include <utility>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/wrapping.hpp>

namespace graft::inline v1::standard_kernels::backward {

/// y = x^e: e x^(e - 1), and log(x) y. Both are 0 for an exponent of 0 and a base of 0, as in PyTorch.
inline void pow(BackwardContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor exponent = detail::cast(ctx.input(1), DType::f32);
  const auto set = [&](std::size_t i, auto derivative) {
    if (!ctx.needs(i)) return;
    Tensor slope = detail::combine(x, exponent, derivative, ctx.parallel());
    const Tensor g = detail::combine(std::move(slope), ctx.output_gradient(), detail::Mul(), ctx.parallel());
    ctx.set_gradient(i, detail::sum_to(g, ctx.input(i).dims()));
  };
  set(0, [](float base, float e) { return e == 2 ? 2 * base : e == 0 ? 0 : e * std::pow(base, e - 1); });
  set(1, [](float base, float e) { return base == 0 && e >= 0 ? 0 : std::log(base) * std::pow(base, e); });
}

inline void add_pow(BackwardKernels& kernels) { kernels.add("Pow", {7}, pow); }

}  // namespace graft::inline v1::standard_kernels::backward
