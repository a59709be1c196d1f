#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/batch_normalization.hpp>

// Before:  BatchNormalization(x, scale, bias, mean, variance)
// After:   Conv(x, w, b) {group=channels}     w: f[channels,1,1...], of the rank of x      w[m] = factor[m]
//                                             b[m] = bias[m] - mean[m] * factor[m]
//                                             factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// x is of known rank, 3 or more; the statistics are constant and finite, and so are w and b in the dtype of x; the
// BatchNormalization is in inference: training_mode is 0, and of its outputs there is the first only. For runtimes that
// compute Conv in integers, but not BatchNormalization; where a Conv stands in front, bn_into_conv is better.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto group = attr<"group", std::int64_t>;

inline Verdict folds_into_channels(const Value& input, const Tensor& scales, const Tensor& biases, const Tensor& means,
                                   const Tensor& variances, float eps) {
  if (input.shape().rank() < 3) return Verdict::no("it has no spatial axis, or its rank is not known");
  if (!is_float(input.dtype())) return Verdict::no("its dtype is not known");
  const Dim channels = input.shape()[1];
  if (!are_per_channel({&scales, &biases, &means, &variances}, channels.known() ? channels.value() : scales.size()))
    return Verdict::no("the statistics are not one value for each channel");
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  if (Verdict finite = are_finite(factors, biases, means); !finite) return finite;
  if (Verdict holds = fit(factors, input.dtype()); !holds) return holds;
  return fit(channel_biases(factors, biases, means), input.dtype());
}

inline Tensor depthwise_weight(const Value& input, const Tensor& scales, const Tensor& variances, float eps) {
  Dims dims(input.shape().rank(), 1);
  dims[0] = scales.size();
  return Tensor::of(input.dtype(), dims, channel_factors(scales, variances, eps));
}

inline Tensor depthwise_bias(const Value& input, const Tensor& scales, const Tensor& biases, const Tensor& means,
                             const Tensor& variances, float eps) {
  return Tensor::of(input.dtype(), {scales.size()},
                    channel_biases(channel_factors(scales, variances, eps), biases, means));
}

inline std::int64_t element_count_of(const Tensor& tensor) { return tensor.size(); }

inline constexpr auto bn_to_depthwise_conv = rule<"bn-to-depthwise-conv">(
    batch_normalization(x),
    where(predicate<has_one_output>("it has the outputs of training_mode")(bn),
          predicate<folds_into_channels>("")(x, scale, bias, mean, variance, epsilon)),
    op<"Conv">(x, tensor<depthwise_weight>(x, scale, variance, epsilon),
               tensor<depthwise_bias>(x, scale, bias, mean, variance, epsilon))
        .with(group = call<element_count_of>(scale)));

}  // namespace detail::simplification

using detail::simplification::bn_to_depthwise_conv;

}  // namespace graft::inline v1
