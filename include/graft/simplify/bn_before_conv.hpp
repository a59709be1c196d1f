#pragma once
#include <optional>
#include <vector>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/batch_normalization.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/weighted.hpp>

// Before:  f(BatchNormalization(x, scale, bias, mean, variance), w, b?)      f: Conv or Gemm
// After:   f(x, w', b')     w'[m,i,...] = w[m,i,...] * factor[i]
//                           b'[m] = b[m] + the sum over i,... of w[m,i,...] * (bias[i] - mean[i] * factor[i])
//                           factor[i] = scale[i] / sqrt(variance[i] + epsilon)
//
// All but x is constant, and finite, and so are w' and b' in the dtype of w. The BatchNormalization is in inference:
// training_mode is 0, and of its outputs there is the first only. A Conv pads nothing: nothing is added to padding. Of
// a Gemm beta is 1 and transA 0; its alpha multiplies the sum.

namespace graft::inline v1 {
namespace detail::simplification {

inline Verdict folds_from_inputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                 const Tensor& scales, const Tensor& biases, const Tensor& means,
                                 const Tensor& variances, float eps) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  const auto inputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).inputs());
  if (!are_per_channel({&scales, &biases, &means, &variances}, inputs))
    return Verdict::no("the statistics are not one value for each input channel");
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  if (Verdict finite = are_finite(factors, biases, means); !finite) return finite;
  if (Verdict holds = fit(input_scaled(product, weights, factors), weights.dtype()); !holds) return holds;
  return fit(input_shifted(product, weights, old, channel_biases(factors, biases, means)), weights.dtype());
}

inline Tensor prescaled_weight(const Node& product, const Tensor& weights, const Tensor& scales,
                               const Tensor& variances, float eps) {
  return Tensor::of(weights.dtype(), weights.dims(),
                    input_scaled(product, weights, channel_factors(scales, variances, eps)));
}

inline Tensor preshifted_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                              const Tensor& scales, const Tensor& biases, const Tensor& means, const Tensor& variances,
                              float eps) {
  const std::vector<double> shifts = channel_biases(channel_factors(scales, variances, eps), biases, means);
  const std::vector<double> numbers = input_shifted(product, weights, old, shifts);
  return Tensor::of(weights.dtype(), {static_cast<std::int64_t>(numbers.size())}, numbers);
}

inline constexpr auto bn_before_conv = rule<"bn-before-conv">(
    weighted(batch_normalization(x)),
    where(predicate<has_one_output>("it has the outputs of training_mode")(bn), no_padding(conv),
          predicate<folds_from_inputs>("")(conv, w, b, scale, bias, mean, variance, epsilon)),
    conv(x, tensor<prescaled_weight>(conv, w, scale, variance, epsilon),
         tensor<preshifted_bias>(conv, w, b, scale, bias, mean, variance, epsilon)));

}  // namespace detail::simplification

using detail::simplification::bn_before_conv;

}  // namespace graft::inline v1
