#pragma once
#include <graft/simplify/fuse/bn_before_conv.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {

namespace vocabulary {

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
  return Tensor::list(weights.dtype(), numbers);
}

inline constexpr auto bn_before_conv = rule<"bn-before-conv">(
    weighted(batch_normalization(x)),
    where(predicate<has_one_output>("it has the outputs of training_mode")(bn), no_padding(conv),
          predicate<folds_from_inputs>("")(conv, w, b, scale, bias, mean, variance, epsilon)),
    conv(x, tensor<prescaled_weight>(conv, w, scale, variance, epsilon),
         tensor<preshifted_bias>(conv, w, b, scale, bias, mean, variance, epsilon)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView bn_before_conv = vocabulary::bn_before_conv.view();

}  // namespace graft::inline v1
