#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/wrapping.hpp>
#include <graft/evaluate/kernels/activation.hpp>

/// The gradients of activations: f(g, x) or f(g, y), from the gradient g of the output y.
namespace graft::inline v1::standard_kernels::backward {

struct Gelu {
  float operator()(float g, float x) const {
    constexpr float sqrt_of_half = std::numbers::sqrt2_v<float> / 2;
    constexpr float density = sqrt_of_half * std::numbers::inv_sqrtpi_v<float>;
    return g * (0.5F * (1 + std::erf(x * sqrt_of_half)) + x * density * std::exp(-x * x / 2));
  }
};

struct GeluByTanh {
  float operator()(float g, float x) const {
    constexpr float slope = std::numbers::sqrt2_v<float> * std::numbers::inv_sqrtpi_v<float>, cubic = 0.044715F;
    const float t = std::tanh(slope * (x + cubic * x * x * x));
    return g * 0.5F * (1 + t + x * (1 - t * t) * slope * (1 + 3 * cubic * x * x));
  }
};

/// x times a sigmoid of alpha x.
struct Swish {
  float operator()(float g, float x, float alpha) const {
    const float s = 1 / (1 + std::exp(-alpha * x));
    return g * (s + alpha * x * s * (1 - s));
  }
};

struct Mish {
  float operator()(float g, float x) const {
    const float t = std::tanh(detail::Softplus()(x));
    return g * (t + x * (1 - t * t) / (1 + std::exp(-x)));
  }
};

/// The bounds are attributes below opset 11. They have gradients where they are inputs. NaN does not bound.
inline void clip(BackwardContext& ctx) {
  const auto bound = [&](std::size_t input, std::string_view attribute, float otherwise) {
    if (ctx.has_input(input)) return ctx.input(input).item<float>();
    return ctx.opset() < 11 ? ctx.attr<float>(attribute) : otherwise;
  };
  const float low = bound(1, "min", std::numeric_limits<float>::lowest());
  const float high = bound(2, "max", std::numeric_limits<float>::max());
  const auto gradient_where = [&](auto chosen) {
    const auto f = [chosen](float g, float x) { return chosen(x) ? g : 0.0F; };
    return detail::combine(ctx.output_gradient(), ctx.input(0), f, ctx.parallel());
  };
  if (ctx.needs(0)) ctx.set_gradient(0, gradient_where([=](float x) { return !(x < low) && !(x > high); }));
  const auto sum_where = [&](std::size_t input, auto chosen) {
    if (ctx.needs(input)) ctx.set_gradient(input, detail::sum_to(gradient_where(chosen), ctx.input(input).dims()));
  };
  sum_where(1, [=](float x) { return x < low && !(low > high); });
  sum_where(2, [=](float x) { return x > high || low > high; });
}

inline void prelu(BackwardContext& ctx) {
  const Tensor& g = ctx.output_gradient();
  const Tensor& x = ctx.input(0);
  const Tensor& slope = ctx.input(1);
  if (ctx.needs(0)) {
    const auto factor = [](float value, float a) { return value > 0 ? 1 : a; };
    ctx.set_gradient(0, detail::combine(detail::combine(x, slope, factor, ctx.parallel()), g, detail::Mul(),
                                        ctx.parallel()));
  }
  if (ctx.needs(1)) {
    const auto below = [](float value, float gradient) { return value > 0 ? 0 : value * gradient; };
    ctx.set_gradient(1, detail::sum_to(detail::combine(x, g, below, ctx.parallel()), slope.dims()));
  }
}

inline void hard_sigmoid(BackwardContext& ctx) {
  const auto f = [alpha = ctx.attr<float>("alpha"), beta = ctx.attr<float>("beta")](float g, float x) {
    const float y = alpha * x + beta;
    return 0 < y && y < 1 ? g * alpha : 0;
  };
  if (ctx.needs(0)) ctx.set_gradient(0, detail::combine(ctx.output_gradient(), ctx.input(0), f, ctx.parallel()));
}

inline void selu(BackwardContext& ctx) {
  const auto f = [alpha = ctx.attr<float>("alpha"), gamma = ctx.attr<float>("gamma")](float g, float x) {
    return g * gamma * (x > 0 ? 1 : alpha * std::exp(x));
  };
  if (ctx.needs(0)) ctx.set_gradient(0, detail::combine(ctx.output_gradient(), ctx.input(0), f, ctx.parallel()));
}

/// Of the sum with a bias, if there is one (com.microsoft's BiasGelu and FastGelu).
template <class F>
void biased(BackwardContext& ctx, const F& f) {
  const bool has_bias = ctx.has_input(1);
  const Tensor x = has_bias ? detail::combine(ctx.input(0), ctx.input(1), detail::Add()) : ctx.input(0);
  const Tensor g = detail::combine(ctx.output_gradient(), x, f, ctx.parallel());
  if (ctx.needs(1)) ctx.set_gradient(1, detail::sum_to(g, ctx.input(1).dims()));
  if (ctx.needs(0)) ctx.set_gradient(0, g);
}

inline void gelu(BackwardContext& ctx) {
  if (detail::choice(ctx, "approximate", {"none", "tanh"}, "none") == "tanh") {
    biased(ctx, GeluByTanh());
  } else {
    biased(ctx, Gelu());
  }
}

inline void add_activation(BackwardKernels& kernels) {
  using detail::of_input;
  using detail::of_output;
  using detail::of_input_and_alpha;
  kernels.add("Relu", {6}, of_input([](float g, float x) { return x > 0 ? g : 0; }))
      .add("PRelu", {7}, prelu)
      .add("Clip", {6}, clip)
      .add("HardSigmoid", {6}, hard_sigmoid)
      .add("Selu", {6}, selu)
      .add("Gelu", gelu)
      .add("com.microsoft::Gelu", gelu)
      .add("com.microsoft::BiasGelu", [](BackwardContext& ctx) { biased(ctx, Gelu()); })
      .add("com.microsoft::FastGelu", [](BackwardContext& ctx) { biased(ctx, GeluByTanh()); });
  kernels.add("LeakyRelu", {6}, of_input_and_alpha([](float g, float x, float a) { return x > 0 ? g : g * a; }))
      .add("Elu", {6}, of_input_and_alpha([](float g, float x, float a) { return x > 0 ? g : g * a * std::exp(x); }))
      .add("Celu", of_input_and_alpha([](float g, float x, float a) { return x > 0 ? g : g * std::exp(x / a); }))
      .add("ThresholdedRelu", of_input_and_alpha([](float g, float x, float a) { return x > a ? g : 0; }))
      .add("Swish", of_input_and_alpha(Swish()))
      .add("com.microsoft::QuickGelu", of_input_and_alpha(Swish()));
  kernels.add("Sigmoid", {6}, of_output([](float g, float y) { return g * y * (1 - y); }))
      .add("Tanh", {6}, of_output([](float g, float y) { return g * (1 - y * y); }))
      .add("HardSwish",
           of_input([](float g, float x) { return x <= -3 ? 0 : x < 3 ? g * (x / 3 + 0.5F) : g; }))
      .add("Softplus", of_input([](float g, float x) { return g / (1 + std::exp(-x)); }))
      .add("Softsign", of_input([](float g, float x) { return g / ((1 + std::abs(x)) * (1 + std::abs(x))); }))
      .add("Mish", of_input(Mish()));
}

}  // namespace graft::inline v1::standard_kernels::backward
