#pragma once
#include <graft/lower/bn_to_depthwise_conv.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/near_conv.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto group = attr<"group", std::int64_t>;

inline Verdict folds_into_channels(const Value& input, const Tensor& scales, const Tensor& biases, const Tensor& means,
                                   const Tensor& variances, float eps) {
  if (input.shape().rank() < 3) return Verdict::no("it has no spatial axis, or its rank is not known");
  if (!has_elements(input.shape())) return Verdict::no("it has no elements");
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

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView bn_to_depthwise_conv = vocabulary::bn_to_depthwise_conv.view();

}  // namespace graft::inline v1
