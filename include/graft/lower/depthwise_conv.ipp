#pragma once
#include <graft/lower/depthwise_conv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/near_conv.hpp>

namespace graft::inline v1 {
namespace rules {

inline Ints pads_of_mean(const Node& pool, const Ints& kernel) {
  return pool.attr<Ints>("pads").value_or(Ints(2 * kernel.size(), 0));
}

inline Ints strides_of_mean(const Node& pool, const Ints& kernel) {
  return pool.attr<Ints>("strides").value_or(Ints(kernel.size(), 1));
}

inline Verdict averages_alike(const Value& input, const Node& pool, const Ints& kernel) {
  const Shape from = input.shape();
  if (from.rank() != kernel.size() + 2 || !from[1].known() || from[1] == Dim(0))
    return Verdict::no("the channels are not known");
  if (input.producer() == nullptr) return Verdict::no("its input has no producer");
  if (std::any_of(kernel.begin(), kernel.end(), [](std::int64_t extent) { return extent < 1; }))
    return Verdict::no("the kernel is empty");
  return pads_of_mean(pool, kernel) == Ints(2 * kernel.size(), 0) || pool.attr<std::int64_t>("count_include_pad") == 1
             ? Verdict::yes()
             : Verdict::no("means at the border are over fewer values");
}

inline Tensor weight_of_mean(const Value& input, const Ints& kernel) {
  Dims dims{input.shape()[1].value(), 1};
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  const float part = 1 / static_cast<float>(element_count(kernel));
  return Tensor::of<float>(dims, std::vector<float>(static_cast<std::size_t>(element_count(dims)), part));
}

inline std::int64_t groups_of_mean(const Value& input) { return input.shape()[1].value(); }

inline constexpr auto mean_pool = node<"mean_pool">;
inline constexpr auto mean_kernel = attr<"kernel_shape", Ints>.named<"mean_kernel">();
inline constexpr auto mean_strides = attr<"strides", Ints>.named<"mean_strides">();
inline constexpr auto mean_pads = attr<"pads", Ints>.named<"mean_pads">();
inline constexpr auto mean_counts_pads = attr<"count_include_pad", std::int64_t>.named<"mean_counts_pads">();
inline constexpr auto mean_group = attr<"group", std::int64_t>.named<"mean_group">();

inline constexpr auto average_pool_to_depthwise_conv = rule<"average-pool-to-depthwise-conv">(
    op<"AveragePool">(x.dtype(DType::f32))
        .with(mean_kernel, opt(mean_strides), opt(mean_pads), opt(mean_counts_pads))
        .as(mean_pool),
    where(predicate<averages_alike>("")(x, mean_pool, mean_kernel)),
    op<"Conv">(x, tensor<weight_of_mean>(x, mean_kernel))
        .with(mean_group = call<groups_of_mean>(x), mean_kernel,
              mean_strides = call<strides_of_mean>(mean_pool, mean_kernel),
              mean_pads = call<pads_of_mean>(mean_pool, mean_kernel)));

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

inline constexpr auto bn_to_depthwise_conv =
    rule<"bn-to-depthwise-conv">(batch_normalization(x),
                                 where(predicate<has_one_output>("it has the outputs of training_mode")(bn),
                                       predicate<folds_into_channels>("")(x, scale, bias, mean, variance, epsilon)),
                                 op<"Conv">(x, tensor<depthwise_weight>(x, scale, variance, epsilon),
                                            tensor<depthwise_bias>(x, scale, bias, mean, variance, epsilon))
                                     .with(group = call<element_count_of>(scale)));

inline constexpr auto group_of = attr<"group", std::int64_t>;

inline Tensor factor_weight(const Value& input, const Node& operation, const Tensor& constant) {
  const std::int64_t channels = input.shape()[1].value();
  return Tensor::of(input.dtype(), {channels, 1, 1, 1},
                    factors_of(operation, constant, static_cast<std::size_t>(channels)));
}

inline Tensor unit_weight(const Value& input) {
  const std::int64_t channels = input.shape()[1].value();
  return Tensor::of(input.dtype(), {channels, 1, 1, 1}, std::vector<double>(static_cast<std::size_t>(channels), 1));
}

inline Tensor shift_bias(const Value& input, const Node& operation, const Tensor& constant) {
  const std::int64_t channels = input.shape()[1].value();
  return Tensor::of(input.dtype(), {channels}, shifts_of(operation, constant, static_cast<std::size_t>(channels)));
}

inline std::int64_t channels_of(const Value& input) { return input.shape()[1].value(); }

inline Verdict is_by_channels(const Value& input, const Node& operation, const Tensor& constant) {
  if (Verdict holds = takes_depthwise_conv(input, *operation.output(0)); !holds) return holds;
  if (Verdict holds = is_along_channels(constant, 4, channels_of(input)); !holds) return holds;
  const bool is_factor = operation.is("Mul") || operation.is("Div");
  return fit((is_factor ? factor_weight : shift_bias)(input, operation, constant).to<double>(), input.dtype());
}

inline constexpr auto by_channels = predicate<is_by_channels>("");

inline constexpr auto mul_to_depthwise_conv = rule<"mul-to-depthwise-conv">(
    scaled(x), where(by_channels(x, outer, c)),
    op<"Conv">(x, tensor<factor_weight>(x, outer, c)).with(group_of = call<channels_of>(x)));

inline constexpr auto add_to_depthwise_conv = rule<"add-to-depthwise-conv">(
    shifted(x), where(by_channels(x, outer, c)),
    op<"Conv">(x, tensor<unit_weight>(x), tensor<shift_bias>(x, outer, c)).with(group_of = call<channels_of>(x)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView average_pool_to_depthwise_conv =
    rules::average_pool_to_depthwise_conv.view();

GRAFT_INLINE constinit const RuleView bn_to_depthwise_conv = rules::bn_to_depthwise_conv.view();

GRAFT_INLINE constinit const RuleView add_to_depthwise_conv = rules::add_to_depthwise_conv.view();

GRAFT_INLINE constinit const RuleView mul_to_depthwise_conv = rules::mul_to_depthwise_conv.view();

}  // namespace graft::inline v1
