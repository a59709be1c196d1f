#pragma once
#include <graft/simplify/conv.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
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
#include <graft/vocabulary/gelu_factor.hpp>
#include <graft/vocabulary/pads.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto pad_into_conv = rule<"pad-into-conv">(
    op<"Conv">(op<"Pad">(x).with(pads, opt(axes), mode == "constant", opt(pad_value == 0.f)).since(2), right)
        .with(own_pads, auto_pad)
        .as(conv),
    where(explicit_pads(auto_pad, own_pads), spatial_pads(own_pads, pads, axes)),
    conv(x, right).with(own_pads = call<summed_pads>(own_pads, pads, axes), auto_pad = "NOTSET"));

inline std::vector<double> shifted_biases(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                          const Node& operation, const Tensor& constant) {
  return input_shifted(product, weights, old,
                       shifts_of(operation, constant, WeightChannels(product, weights.dims()).inputs()));
}

inline Verdict shifts_inputs(const Value& input, const Node& product, const Tensor& weights,
                             const std::optional<Tensor>& old, const Node& operation, const Tensor& constant) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  if (Verdict holds = is_along_inputs(input, product, weights, constant); !holds) return holds;
  return fit(shifted_biases(product, weights, old, operation, constant), weights.dtype());
}

inline Tensor shifted_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                           const Node& operation, const Tensor& constant) {
  const std::vector<double> numbers = shifted_biases(product, weights, old, operation, constant);
  return Tensor::list(weights.dtype(), numbers);
}

inline constexpr auto add_before_conv = rule<"add-before-conv">(
    weighted(shifted(x)), where(no_padding(conv), predicate<shifts_inputs>("")(x, conv, w, b, outer, c)),
    conv(x, w, tensor<shifted_bias>(conv, w, b, outer, c)));

inline Tensor input_scaled_weight(const Node& product, const Tensor& weights, const Node& operation,
                                  const Tensor& constant) {
  const WeightChannels channels(product, weights.dims());
  return Tensor::of(weights.dtype(), weights.dims(),
                    input_scaled(product, weights, factors_of(operation, constant, channels.inputs())));
}

inline Verdict scales_inputs(const Value& input, const Node& product, const Tensor& weights,
                             const std::optional<Tensor>& old, const Node& operation, const Tensor& constant) {
  if (Verdict holds = reads_channels(product, weights, old); !holds) return holds;
  if (Verdict holds = is_along_inputs(input, product, weights, constant); !holds) return holds;
  const std::size_t inputs = WeightChannels(product, weights.dims()).inputs();
  return fit(input_scaled(product, weights, factors_of(operation, constant, inputs)), weights.dtype());
}

inline constexpr auto mul_before_conv = rule<"mul-before-conv">(
    weighted(scaled(x)),
    where(predicate<is_no_part_of_gelu>("")(outer), predicate<scales_inputs>("")(x, conv, w, b, outer, c)),
    conv(x, tensor<input_scaled_weight>(conv, w, outer, c), opt(b)));

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

inline constexpr auto bn_before_conv =
    rule<"bn-before-conv">(weighted(batch_normalization(x)),
                           where(predicate<has_one_output>("it has the outputs of training_mode")(bn), no_padding(conv),
                                 predicate<folds_from_inputs>("")(conv, w, b, scale, bias, mean, variance, epsilon)),
                           conv(x, tensor<prescaled_weight>(conv, w, scale, variance, epsilon),
                                tensor<preshifted_bias>(conv, w, b, scale, bias, mean, variance, epsilon)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView pad_into_conv = rules::pad_into_conv.view();

GRAFT_INLINE constinit const RuleView add_before_conv = rules::add_before_conv.view();

GRAFT_INLINE constinit const RuleView mul_before_conv = rules::mul_before_conv.view();

GRAFT_INLINE constinit const RuleView bn_before_conv = rules::bn_before_conv.view();

}  // namespace graft::inline v1
