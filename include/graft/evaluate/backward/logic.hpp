#pragma once
#include <utility>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/gradient.hpp>

/// The gradients of Where.
namespace graft::inline v1::standard_kernels::backward {

inline void where(BackwardContext& ctx) {
  const Tensor condition = detail::cast(ctx.input(0), DType::f32);
  const auto set = [&](std::size_t i, auto chosen) {
    if (!ctx.needs(i)) return;
    const Tensor g = detail::combine(ctx.output_gradient(), condition, chosen, ctx.parallel());
    ctx.set_gradient(i, detail::sum_to(g, ctx.input(i).dims()));
  };
  set(1, [](float g, float holds) { return holds != 0 ? g : 0; });
  set(2, [](float g, float holds) { return holds != 0 ? 0 : g; });
}

inline void add_logic(BackwardKernels& kernels) { kernels.add("Where", where); }

}  // namespace graft::inline v1::standard_kernels::backward
