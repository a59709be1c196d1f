#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <graft/evaluate/detail/map.hpp>
#include <graft/evaluate/kernels/activation.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// x = f(x) over an array of the dtype that it was made for.
using RecurrentActivation = std::function<void(void* values, std::int64_t count)>;

/// f(x, parameters...) for f32 or f64.
template <class F, class... Parameters>
RecurrentActivation recurrent_activation(DType dtype, F f, Parameters... parameters) {
  if constexpr (sizeof...(Parameters) == 0) {
    return [f, loop = unary_loop<F, float, double>(dtype)](void* x, std::int64_t count) { loop(x, x, count, &f); };
  } else {
    return recurrent_activation(dtype, [=](auto x) { return f(x, static_cast<decltype(x)>(parameters)...); });
  }
}

/// The attributes activations, activation_alpha and activation_beta of LSTM-22: each function takes the next alpha and
/// beta if it has any, or else what the operator of its name has by default.
class ActivationReader {
 public:
  ActivationReader(const KernelContext& ctx, DType dtype)
      : dtype_(dtype),
        alphas_(ctx.optional_attr<Floats>("activation_alpha").value_or(Floats{})),
        betas_(ctx.optional_attr<Floats>("activation_beta").value_or(Floats{})) {}

  /// Throws Error for a function that the standard does not name, and for one without defaults whose numbers are
  /// missing.
  RecurrentActivation next(std::string_view name) {
    if (name == "Relu") return recurrent_activation(dtype_, Relu());
    if (name == "Tanh") return recurrent_activation(dtype_, Tanh());
    if (name == "Sigmoid") return recurrent_activation(dtype_, Sigmoid());
    if (name == "Softsign") return recurrent_activation(dtype_, Softsign());
    if (name == "Softplus") return recurrent_activation(dtype_, Softplus());
    if (name == "LeakyRelu") return recurrent_activation(dtype_, LeakyRelu(), alpha(0.01F));
    if (name == "Elu") return recurrent_activation(dtype_, Elu(), alpha(1));
    if (name == "ThresholdedRelu") {
      const auto f = [](auto x, auto threshold) { return x >= threshold ? x : decltype(x){0}; };
      return recurrent_activation(dtype_, f, alpha(1));
    }
    if (name == "HardSigmoid") return recurrent_activation(dtype_, HardSigmoid(), alpha(0.2F), beta(0.5F));
    const auto affine = [](auto x, auto a, auto b) { return a * x + b; };
    const auto scaled_tanh = [](auto x, auto a, auto b) { return a * std::tanh(b * x); };
    if (name != "Affine" && name != "ScaledTanh") throw failure({"unknown value ", name}).field("activations");
    const float a = alpha(), b = beta();  // the first that is missing is named
    if (name == "Affine") return recurrent_activation(dtype_, affine, a, b);
    return recurrent_activation(dtype_, scaled_tanh, a, b);
  }

 private:
  float alpha(std::optional<float> otherwise = {}) { return take("activation_alpha", alphas_, otherwise); }
  float beta(std::optional<float> otherwise = {}) { return take("activation_beta", betas_, otherwise); }
  static float take(std::string_view attribute, Floats& list, std::optional<float> otherwise) {
    if (list.empty() && !otherwise) throw Error("a function without a default has no number").field(attribute);
    if (list.empty()) return *otherwise;
    const float first = list.front();
    list.erase(list.begin());
    return first;
  }

  DType dtype_;
  Floats alphas_, betas_;
};

}  // namespace graft::inline v1::standard_kernels::detail
