#pragma once
#include <graft/simplify/fuse/bn_into_conv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// Shows the new weights of each output channel, and where its bytes begin. All of them at once would take more memory
/// than the model.
template <class Visit>
void visit_normalized_weights(const Tensor& weights, const std::vector<double>& factors, Visit&& visit) {
  if (factors.empty()) return;
  const auto length = static_cast<std::int64_t>(static_cast<std::size_t>(weights.size()) / factors.size());
  const std::size_t bytes = weights.bytes().size() / factors.size();
  for (std::size_t m = 0; m < factors.size(); ++m) {
    const Tensor channel = Tensor::borrow(weights.dtype(), {length}, weights.bytes().data() + m * bytes);
    std::vector<double> numbers = channel.to<double>();
    for (double& number : numbers) number *= factors[m];
    visit(numbers, m * bytes);
  }
}

inline std::vector<double> normalized_biases(const std::optional<Tensor>& old, const std::vector<double>& factors,
                                             const Tensor& biases, const Tensor& means) {
  const std::vector<double> centre = means.to<double>();
  const std::vector<double> given = old ? old->to<double>() : std::vector<double>(factors.size());
  std::vector<double> numbers = biases.to<double>();
  for (std::size_t m = 0; m < numbers.size(); ++m) numbers[m] += (given[m] - centre[m]) * factors[m];
  return numbers;
}

inline Verdict folds_into_weight(const Tensor& weights, const std::optional<Tensor>& old, const Tensor& scales,
                                 const Tensor& biases, const Tensor& means, const Tensor& variances, float eps) {
  if (bits(weights.dtype()) % 8 != 0) return Verdict::no("several weights share a byte");
  if (weights.rank() == 0 || !are_per_channel({&scales, &biases, &means, &variances}, weights.dims()[0]))
    return Verdict::no("the statistics are not one value for each output channel");
  if (old && !are_per_channel({&*old}, weights.dims()[0]))
    return Verdict::no("the bias of the Conv is not one value for each output channel");
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  if (Verdict finite = are_finite(factors, biases, means); !finite) return finite;
  Verdict holds = Verdict::yes();
  visit_normalized_weights(weights, factors, [&](const std::vector<double>& numbers, std::size_t) {
    if (holds) holds = fit(numbers, weights.dtype());
  });
  if (!holds) return holds;
  return fit(normalized_biases(old, factors, biases, means), weights.dtype());
}

inline Tensor normalized_weight(const Tensor& weights, const Tensor& scales, const Tensor& variances, float eps) {
  Tensor result(weights.dtype(), weights.dims());
  const std::span<std::byte> bytes = result.mutable_bytes();
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  visit_normalized_weights(weights, factors, [&](const std::vector<double>& numbers, std::size_t begin) {
    const Tensor channel = Tensor::list(weights.dtype(), numbers);
    std::copy(channel.bytes().begin(), channel.bytes().end(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return result;
}

inline Tensor normalized_bias(const Tensor& weights, const std::optional<Tensor>& old, const Tensor& scales,
                              const Tensor& biases, const Tensor& means, const Tensor& variances, float eps) {
  return Tensor::of(weights.dtype(), {weights.dims()[0]},
                    normalized_biases(old, channel_factors(scales, variances, eps), biases, means));
}

inline constexpr auto bn_into_conv =
    rule<"bn-into-conv">(batch_normalization(op<"Conv">(x, w, opt(b)).as(conv)),
                         where(predicate<has_one_output>("it has the outputs of training_mode")(bn),
                               predicate<folds_into_weight>("")(w, b, scale, bias, mean, variance, epsilon)),
                         conv(x, tensor<normalized_weight>(w, scale, variance, epsilon),
                              tensor<normalized_bias>(w, b, scale, bias, mean, variance, epsilon)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView bn_into_conv = vocabulary::bn_into_conv.view();

}  // namespace graft::inline v1
