#pragma once
#include <graft/simplify/conv_epilogue.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {
namespace rules {

inline std::vector<double> added_biases(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                        const Node& operation, const Tensor& constant) {
  const std::size_t channels = WeightChannels(product, weights.dims()).outputs();
  const std::vector<double> shifts = shifts_of(operation, constant, channels);
  std::vector<double> numbers = given_biases(old, channels);
  for (std::size_t m = 0; m < channels; ++m) numbers[m] += shifts[m];
  return numbers;
}

inline Verdict shifts_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                              const Node& operation, const Tensor& constant) {
  if (Verdict holds = has_channels(product, weights, old); !holds) return holds;
  const auto outputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).outputs());
  if (Verdict holds = is_along_channels(constant, weights.rank(), outputs); !holds) return holds;
  return fit(added_biases(product, weights, old, operation, constant), weights.dtype());
}

inline Tensor added_bias(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                         const Node& operation, const Tensor& constant) {
  const std::vector<double> numbers = added_biases(product, weights, old, operation, constant);
  return Tensor::list(weights.dtype(), numbers);
}

inline constexpr auto add_into_conv_bias =
    rule<"add-into-conv-bias">(shifted(weighted(x)), where(predicate<shifts_outputs>("")(conv, w, b, outer, c)),
                               conv(x, w, tensor<added_bias>(conv, w, b, outer, c)));

inline Verdict shifts_channels(const Value& weights, const Node& operation, const Tensor& constant) {
  const Shape dims = weights.shape();
  if (!is_float(constant.dtype())) return Verdict::no("the constant is not of a float dtype");
  if (!dims.known() || dims.rank() < 3 || !dims[0].known()) return Verdict::no("the channels are not known");
  if (Verdict holds = is_along_channels(constant, dims.rank(), dims[0].value()); !holds) return holds;
  return fit(shifts_of(operation, constant, static_cast<std::size_t>(dims[0].value())), constant.dtype());
}

inline Tensor bias_of_shift(const Value& weights, const Node& operation, const Tensor& constant) {
  const std::int64_t channels = weights.shape()[0].value();
  return Tensor::of(constant.dtype(), {channels}, shifts_of(operation, constant, static_cast<std::size_t>(channels)));
}

inline constexpr auto add_into_computed_conv_bias = rule<"add-into-computed-conv-bias">(
    shifted(op<"Conv">(x, y).as(conv)), where(predicate<shifts_channels>("")(y, outer, c)),
    conv(x, y, tensor<bias_of_shift>(y, outer, c)));

inline std::vector<double> output_scaled(const Node& product, const Tensor& weights, const Node& operation,
                                         const Tensor& constant) {
  const WeightChannels channels(product, weights.dims());
  const std::vector<double> factors = factors_of(operation, constant, channels.outputs());
  std::vector<double> numbers = weights.to<double>();
  channels.each([&](std::size_t i, std::size_t output, std::size_t) { numbers[i] *= factors[output]; });
  return numbers;
}

GRAFT_INLINE Tensor output_scaled_weight(const Node& product, const Tensor& weights, const Node& operation,
                                         const Tensor& constant) {
  return Tensor::of(weights.dtype(), weights.dims(), output_scaled(product, weights, operation, constant));
}

GRAFT_INLINE Tensor output_scaled_bias(const Tensor& old, const Node& operation, const Tensor& constant) {
  const std::vector<double> factors = factors_of(operation, constant, static_cast<std::size_t>(old.size()));
  std::vector<double> numbers = old.to<double>();
  for (std::size_t m = 0; m < numbers.size(); ++m) numbers[m] *= factors[m];
  return Tensor::of(old.dtype(), old.dims(), numbers);
}

GRAFT_INLINE Verdict scales_outputs(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                    const Node& operation, const Tensor& constant) {
  if (Verdict holds = has_channels(product, weights, old); !holds) return holds;
  const auto outputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).outputs());
  if (Verdict holds = is_along_channels(constant, weights.rank(), outputs); !holds) return holds;
  const Verdict holds = fit(output_scaled(product, weights, operation, constant), weights.dtype());
  if (!holds || !old) return holds;
  return fit(output_scaled_bias(*old, operation, constant).to<double>(), old->dtype());
}

inline constexpr auto mul_into_conv = rule<"mul-into-conv">(
    scaled(weighted(x)), where(predicate<scales_outputs>("")(conv, w, b, outer, c)),
    conv(x, tensor<output_scaled_weight>(conv, w, outer, c), opt(tensor<output_scaled_bias>(b, outer, c))));

inline bool are_positive(const Tensor& constant) {
  const std::vector<double> numbers = constant.to<double>();
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return number > 0; });
}

inline bool is_single(const Tensor& weights, const Tensor& constant) {
  return constant.size() == 1 && (weights.dtype() == DType::f32 || weights.dtype() == DType::f16);
}

inline constexpr auto positive = predicate<are_positive>("the factor is not positive");

inline constexpr auto scales_conv = predicate<scales_outputs>("");

inline constexpr auto mul_past_relu_into_conv = rule<"mul-past-relu-into-conv">(
    scaled(op<"Relu">(weighted(x)).as(inner)), where(positive(c), scales_conv(conv, w, b, outer, c)),
    inner(conv(x, tensor<output_scaled_weight>(conv, w, outer, c), opt(tensor<output_scaled_bias>(b, outer, c)))));

inline constexpr auto mul_past_clip_into_conv = rule<"mul-past-clip-into-conv">(
    scaled(op<"Clip">(weighted(x)).with(opt(clip_min), opt(clip_max)).as(inner)),
    where(positive(c), predicate<is_single>("the factor is not one value, or the weight is neither f32 nor f16")(w, c),
          scales_conv(conv, w, b, outer, c)),
    [](const auto& m, Rewriter& rewriter) {
      const Tensor weights = *m[w].constant(), factor = *m[c].constant();
      const double scale_by = factors_of(m[outer], factor, 1)[0];
      const float most = greatest(m[inner].graph(), weights.dtype());  // an absent bound stays absent
      const auto scaled_bound = [&](float end) {
        return std::abs(end) == most ? end : static_cast<float>(static_cast<double>(end) * scale_by);
      };
      const ClipBounds old(m[inner], m[clip_min], m[clip_max]);
      Value* bias_of = nullptr;
      if (m[b] != nullptr)
        bias_of = &rewriter.constant(output_scaled_bias(*m[b]->constant(), m[outer], factor), m[b]->name());
      Value& weight = rewriter.constant(output_scaled_weight(m[conv], weights, m[outer], factor), m[w].name());
      Value& product = *rewriter.clone(m[conv], {&m[x], &weight, bias_of}).output(0);
      return rewriter.replace(*m[outer].output(0),
                              clip(rewriter, product, weights.dtype(), scaled_bound(old.min), scaled_bound(old.max)));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView add_into_computed_conv_bias = rules::add_into_computed_conv_bias.view();

GRAFT_INLINE constinit const RuleView add_into_conv_bias = rules::add_into_conv_bias.view();

GRAFT_INLINE constinit const RuleView mul_into_conv = rules::mul_into_conv.view();

GRAFT_INLINE constinit const RuleView mul_past_clip_into_conv = rules::mul_past_clip_into_conv.view();

GRAFT_INLINE constinit const RuleView mul_past_relu_into_conv = rules::mul_past_relu_into_conv.view();

}  // namespace graft::inline v1
