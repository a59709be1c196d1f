#pragma once
#include <graft/simplify/fuse/mul_into_conv.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {

namespace vocabulary {

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

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView mul_into_conv = vocabulary::mul_into_conv.view();

}  // namespace graft::inline v1
