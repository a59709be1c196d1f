#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/map.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>

namespace graft::inline v1::standard_kernels::detail {

struct Relu {
  template <class T>
  T operator()(T x) const {
    return x < T{0} ? T{0} : x;
  }
  auto packed(const auto& x) const { return x.max(0.0F); }
};

/// min(max(x, low), high): if low > high, high wins.
template <class T>
struct Clip {
  T low, high;

  T operator()(T x) const { return std::min(std::max(x, low), high); }
  auto packed(const auto& x) const { return x.max(low).min(high); }
};

struct Sigmoid {
  double operator()(double x) const { return 1 / (1 + std::exp(-x)); }
  /// Eigen's exp does not fall below 2^-128.
  auto packed(const auto& x) const { return x.logistic(); }
};

struct Tanh {
  double operator()(double x) const { return std::tanh(x); }
  /// Where processors have FMA, Eigen's tanh of floats ends at 1 - 2^-22.
  auto packed(const auto& x) const {
    auto y = x.tanh().eval();
    if constexpr (std::is_same_v<typename decltype(y)::Scalar, float>) {
      constexpr float ends = 9.02F;  // from here on the nearest float is 1
      for (Eigen::Index i = 0; i < y.size(); ++i)
        y(i) = std::abs(x.coeff(i)) > ends ? std::copysign(1.0F, x.coeff(i)) : y(i);
    }
    return y;
  }
};

struct PRelu {
  template <class T>
  T operator()(T x, T slope) const {
    return x < T{0} ? Mul()(slope, x) : x;
  }
};

struct HardSigmoid {
  template <class T>
  T operator()(T x, T alpha, T beta) const {
    return std::clamp<T>(x * alpha + beta, 0, 1);
  }
};

struct LeakyRelu {
  auto operator()(auto x, auto alpha) const { return x < 0 ? x * alpha : x; }
};

struct Elu {
  auto operator()(auto x, auto alpha) const { return x < 0 ? std::expm1(x) * alpha : x; }
};

struct Swish {
  auto operator()(auto x, auto alpha) const { return x / (1 + std::exp(-alpha * x)); }
};

struct Softsign {
  auto operator()(auto x) const { return x / (1 + std::abs(x)); }
};

/// log(1 + exp(x)), computed without overflow.
struct Softplus {
  template <class T>
  T operator()(T x) const {
    return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
  }
};

/// x / 2 (1 + erf(x / sqrt 2))
struct Gelu {
  template <class T>
  T operator()(T x) const {
    return x / 2 * (1 + std::erf(x * std::numbers::sqrt2_v<T> / 2));
  }
};

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
struct GeluByTanh {
  template <class T>
  T operator()(T x) const {
    const T inner = std::sqrt(2 * std::numbers::inv_pi_v<T>) * (x + static_cast<T>(0.044715) * x * x * x);
    return x / 2 * (1 + std::tanh(inner));
  }
};

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void prelu(KernelContext& ctx) {
  ctx.set_output(0, detail::arithmetic_onto<detail::PRelu>(ctx.take_input(0), "slope", ctx.take_input(1)));
}

/// The bounds are attributes below opset 11. An absent bound is the lowest or greatest number of the dtype, as in the
/// standard and in ONNX Runtime: infinities become that number.
inline void clip(KernelContext& ctx) {
  const auto bound = [&](std::size_t input, std::string_view attribute) {
    if (ctx.has_input(input)) return ctx.take_input(input);
    return ctx.opset() < 11 ? Tensor::scalar(ctx.attr<float>(attribute)) : Tensor();
  };
  const Tensor low = bound(1, "min");
  const Tensor high = bound(2, "max");
  const DType dtype = ctx.input(0).dtype();
  Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  x = detail::visit_arithmetic(x.dtype(), [&]<class T>() {
    T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
    if constexpr (std::is_same_v<T, float>) {  // the arithmetic type of shorter floats
      if (dtype == DType::f16) most = 65504;
      if (dtype == DType::bf16) most = 0x1.fep127F;
      least = -most;
    }
    detail::Clip<T> bounds{low ? low.item<T>() : least, high ? high.item<T>() : most};
    if constexpr (std::is_floating_point_v<T>) {  // NaN does not bound: processors differ in the maximum with NaN
      if (std::isnan(bounds.low)) bounds.low = -std::numeric_limits<T>::infinity();
      if (std::isnan(bounds.high)) bounds.high = std::numeric_limits<T>::infinity();
    }
    return detail::map<T>(std::move(x), bounds, ctx.parallel());
  });
  ctx.set_output(0, detail::cast(std::move(x), dtype));
}

/// The bounds of a Clip of f32, if they are constant.
inline std::optional<Clamp> clip_bounds(const Node& node) {
  Clamp bounds{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  const auto read = [&](std::size_t input, std::string_view attribute, float& bound) {
    if (node.opset() < 11) {
      bound = node.attr<float>(attribute).value_or(bound);
      return true;
    }
    if (input >= node.input_count() || node.input(input) == nullptr) return true;
    const std::optional<Tensor> value = node.input(input)->constant();
    if (!value || value->dtype() != DType::f32 || value->size() != 1) return false;
    bound = value->item<float>();
    return true;
  };
  return read(1, "min", bounds.low) && read(2, "max", bounds.high) ? std::optional(bounds) : std::nullopt;
}

inline void hard_sigmoid(KernelContext& ctx) {
  const auto alpha = ctx.attr<float>("alpha");
  const auto beta = ctx.attr<float>("beta");
  const auto f = [=](auto x) {
    using T = decltype(x);
    return detail::HardSigmoid()(x, static_cast<T>(alpha), static_cast<T>(beta));
  };
  ctx.set_output(0, detail::map_floats(ctx.take_input(0), f, ctx.parallel()));
}

inline void selu(KernelContext& ctx) {
  const auto alpha = ctx.attr<float>("alpha");
  const auto gamma = ctx.attr<float>("gamma");
  const auto f = [=](auto x) {
    using T = decltype(x);
    return static_cast<T>(gamma) * (x > 0 ? x : static_cast<T>(alpha) * std::expm1(x));
  };
  ctx.set_output(0, detail::map_floats(ctx.take_input(0), f, ctx.parallel()));
}

inline void shrink(KernelContext& ctx) {
  const double bias = ctx.attr<float>("bias");
  const double lambda = ctx.attr<float>("lambd");
  const auto f = [=](auto x) {
    const auto value = static_cast<double>(x);
    return detail::cast_number<decltype(x)>(value < -lambda ? value + bias : value > lambda ? value - bias : 0.0);
  };
  ctx.set_output(0, detail::map_numbers(ctx.take_input(0), f, ctx.parallel()));
}

inline Tensor gelu(Tensor x, bool by_tanh) {
  return by_tanh ? detail::map_floats(std::move(x), detail::GeluByTanh())
                 : detail::map_floats(std::move(x), detail::Gelu());
}

inline void gelu(KernelContext& ctx) {
  const bool by_tanh = detail::choice(ctx, "approximate", {"none", "tanh"}, "none") == "tanh";
  ctx.set_output(0, gelu(ctx.take_input(0), by_tanh));
}

/// com.microsoft BiasGelu and FastGelu: Gelu of the sum with a bias, which is optional for FastGelu.
template <bool ByTanh>
void bias_gelu(KernelContext& ctx) {
  Tensor x = ctx.take_input(0);
  if (ctx.has_input(1)) x = detail::arithmetic_onto<detail::Add>(std::move(x), "bias", ctx.take_input(1));
  ctx.set_output(0, gelu(std::move(x), ByTanh));
}

inline void add_activation(Kernels& kernels) {
  using detail::on_floats;
  using detail::with_alpha;
  constexpr void (*plain_gelu)(KernelContext&) = gelu;
  kernels.add("Relu", {6}, detail::on_numbers(detail::Relu()), [](const Node&) { return Clamp{0}; })
      .add("PRelu", {7}, prelu)
      .add("Clip", {6}, clip, clip_bounds)
      .add("HardSigmoid", {6}, hard_sigmoid)
      .add("Selu", {6}, selu)
      .add("Shrink", shrink)
      .add("Gelu", plain_gelu)
      .add("com.microsoft::Gelu", plain_gelu)
      .add("com.microsoft::BiasGelu", bias_gelu<false>)
      .add("com.microsoft::FastGelu", bias_gelu<true>);
  kernels.add("LeakyRelu", {6}, with_alpha(detail::LeakyRelu()))
      .add("Elu", {6}, with_alpha(detail::Elu()))
      .add("Celu", with_alpha([](auto x, auto alpha) { return x < 0 ? std::expm1(x / alpha) * alpha : x; }))
      .add("Swish", with_alpha(detail::Swish()))
      .add("com.microsoft::QuickGelu", with_alpha(detail::Swish()))
      .add("ThresholdedRelu", with_alpha([](auto x, auto alpha) { return x > alpha ? x : decltype(x){0}; }));
  kernels.add("Sigmoid", {6}, on_floats(detail::Sigmoid()))
      .add("Tanh", {6}, on_floats(detail::Tanh()))
      .add("HardSwish", on_floats([](auto x) { return x * std::clamp<decltype(x)>(x / 6 + decltype(x){0.5}, 0, 1); }))
      .add("Softplus", on_floats(detail::Softplus()))
      .add("Softsign", on_floats(detail::Softsign()))
      .add("Mish", on_floats([](auto x) { return x * std::tanh(detail::Softplus()(x)); }));
}

}  // namespace graft::inline v1::standard_kernels
