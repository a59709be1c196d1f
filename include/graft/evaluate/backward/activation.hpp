#pragma once
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/wrapping.hpp>

namespace graft::inline v1::standard_kernels::backward {

/// The kernel of an elementwise function of one input, whose gradient is f(g, x).
template <class F>
BackwardKernel of_input(F) {
  return +[](BackwardContext& ctx) {
    if (ctx.needs(0)) ctx.set_gradient(0, detail::combine(ctx.output_gradient(), ctx.input(0), F(), ctx.parallel()));
  };
}

/// The same for a gradient f(g, y) of the output.
template <class F>
BackwardKernel of_output(F) {
  return +[](BackwardContext& ctx) {
    if (ctx.needs(0)) ctx.set_gradient(0, detail::combine(ctx.output_gradient(), ctx.output(0), F(), ctx.parallel()));
  };
}

/// The same for a gradient f(g, x, alpha), where alpha is an attribute.
template <class F>
BackwardKernel with_alpha(F) {
  return +[](BackwardContext& ctx) {
    const auto f = [alpha = ctx.attr<float>("alpha")](float g, float x) { return F()(g, x, alpha); };
    if (ctx.needs(0)) ctx.set_gradient(0, detail::combine(ctx.output_gradient(), ctx.input(0), f, ctx.parallel()));
  };
}

struct Relu {
  float operator()(float g, float x) const { return x > 0 ? g : 0; }
};

/// The bounds are attributes below opset 11. They have gradients where they are inputs.
inline void clip(BackwardContext& ctx) {
  const auto bound = [&](std::size_t input, const char* attribute, float otherwise) {
    if (ctx.has_input(input)) return ctx.input(input).item<float>();
    return ctx.opset() < 11 ? ctx.attr<float>(attribute) : otherwise;
  };
  const float low = bound(1, "min", std::numeric_limits<float>::lowest());
  const float high = bound(2, "max", std::numeric_limits<float>::max());
  const auto gradient_where = [&](auto chosen) {
    const auto f = [chosen](float g, float x) { return chosen(x) ? g : 0.0F; };
    return detail::combine(ctx.output_gradient(), ctx.input(0), f, ctx.parallel());
  };
  if (ctx.needs(0)) ctx.set_gradient(0, gradient_where([=](float x) { return low <= x && x <= high; }));
  const auto sum_where = [&](std::size_t input, auto chosen) {
    if (ctx.needs(input)) ctx.set_gradient(input, detail::sum_to(gradient_where(chosen), ctx.input(input).dims()));
  };
  sum_where(1, [=](float x) { return x < low && low <= high; });
  sum_where(2, [=](float x) { return x > high || low > high; });
}

inline void add_activation(BackwardKernels& kernels) {
  kernels.add("Relu", {6}, of_input(Relu())).add("Clip", {6}, clip);
}

}  // namespace graft::inline v1::standard_kernels::backward
