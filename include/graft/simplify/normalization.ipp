#pragma once
#include <graft/simplify/normalization.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {
namespace rules {

/// Visits the new weights of each slice along the first axis, with the offset of its bytes. All of them at once would
/// need more memory than the model.
template <class Visit>
void visit_normalized_weights(const Node& product, const Tensor& weights, const std::vector<double>& factors,
                              Visit&& visit) {
  if (weights.size() == 0) return;
  const WeightChannels channels(product, weights.dims());
  const auto slices = static_cast<std::size_t>(weights.dims()[0]);
  const std::size_t length = static_cast<std::size_t>(weights.size()) / slices, run = channels.run();
  const std::size_t bytes = weights.bytes().size() / slices;
  for (std::size_t i = 0; i < slices; ++i) {
    const Tensor slice =
        Tensor::borrow(weights.dtype(), {static_cast<std::int64_t>(length)}, weights.bytes().data() + i * bytes);
    std::vector<double> numbers = slice.to<double>();
    for (std::size_t begin = 0; begin < length; begin += run) {
      const double factor = factors[channels.output(i * length + begin)];
      for (std::size_t k = begin; k < begin + run; ++k) numbers[k] *= factor;
    }
    visit(numbers, i * bytes);
  }
}

inline std::vector<double> normalized_biases(const std::optional<Tensor>& old, const std::vector<double>& factors,
                                             const Tensor& biases, const Tensor& means) {
  const std::vector<double> centre = means.to<double>();
  const std::vector<double> given = given_biases(old, factors.size());
  std::vector<double> numbers = biases.to<double>();
  for (std::size_t m = 0; m < numbers.size(); ++m) numbers[m] += (given[m] - centre[m]) * factors[m];
  return numbers;
}

inline Verdict folds_into_weight(const Node& product, const Tensor& weights, const std::optional<Tensor>& old,
                                 const Tensor& scales, const Tensor& biases, const Tensor& means,
                                 const Tensor& variances, float eps) {
  if (bits(weights.dtype()) % 8 != 0) return Verdict::no("several weights share a byte");
  if (Verdict holds = has_channels(product, weights, old); !holds) return holds;
  const auto outputs = static_cast<std::int64_t>(WeightChannels(product, weights.dims()).outputs());
  if (!are_per_channel({&scales, &biases, &means, &variances}, outputs))
    return Verdict::no("the statistics are not one value for each output channel");
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  if (Verdict finite = are_finite(factors, biases, means); !finite) return finite;
  Verdict holds = Verdict::yes();
  visit_normalized_weights(product, weights, factors, [&](const std::vector<double>& numbers, std::size_t) {
    if (holds) holds = fit(numbers, weights.dtype());
  });
  if (!holds) return holds;
  return fit(normalized_biases(old, factors, biases, means), weights.dtype());
}

inline Tensor normalized_weight(const Node& product, const Tensor& weights, const Tensor& scales,
                                const Tensor& variances, float eps) {
  Tensor result(weights.dtype(), weights.dims());
  const std::span<std::byte> bytes = result.mutable_bytes();
  const std::vector<double> factors = channel_factors(scales, variances, eps);
  visit_normalized_weights(product, weights, factors, [&](const std::vector<double>& numbers, std::size_t begin) {
    const Tensor slice = Tensor::list(weights.dtype(), numbers);
    std::copy(slice.bytes().begin(), slice.bytes().end(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return result;
}

inline Tensor normalized_bias(const Tensor& weights, const std::optional<Tensor>& old, const Tensor& scales,
                              const Tensor& biases, const Tensor& means, const Tensor& variances, float eps) {
  const std::vector<double> numbers = normalized_biases(old, channel_factors(scales, variances, eps), biases, means);
  return Tensor::list(weights.dtype(), numbers);
}

inline constexpr auto normalizes_once = predicate<has_one_output>("it has the outputs of training_mode");

inline constexpr auto folds = predicate<folds_into_weight>("");

inline constexpr auto bn_into_conv =
    rule<"bn-into-conv">(batch_normalization(one_of<"Conv", "ConvTranspose", "Gemm">(x, w, opt(b)).as(conv)),
                         where(normalizes_once(bn), folds(conv, w, b, scale, bias, mean, variance, epsilon)),
                         conv(x, tensor<normalized_weight>(conv, w, scale, variance, epsilon),
                              tensor<normalized_bias>(w, b, scale, bias, mean, variance, epsilon)));

inline Verdict folds_into_matrix(const Node& product, const Tensor& weights, const Tensor& scales, const Tensor& biases,
                                 const Tensor& means, const Tensor& variances, float eps) {
  return folds_into_weight(product, weights, std::nullopt, scales, biases, means, variances, eps);
}

inline Tensor matrix_bias(const Tensor& weights, const Tensor& scales, const Tensor& biases, const Tensor& means,
                          const Tensor& variances, float eps) {
  return normalized_bias(weights, std::nullopt, scales, biases, means, variances, eps);
}

inline constexpr auto bn_into_matmul = rule<"bn-into-matmul">(
    batch_normalization(op<"MatMul">(x.rank(2), w).as(conv)),
    where(normalizes_once(bn), predicate<folds_into_matrix>("")(conv, w, scale, bias, mean, variance, epsilon)),
    op<"Add">(conv(x, tensor<normalized_weight>(conv, w, scale, variance, epsilon)),
              tensor<matrix_bias>(w, scale, bias, mean, variance, epsilon)));

GRAFT_INLINE bool are_last_axes(const Shape& whole, const Ints& over) {
  if (!whole.known() || over.empty() || over.size() > whole.rank()) return false;
  Ints sorted = over;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t first = whole.rank() - over.size();
  for (std::size_t i = 0; i < over.size(); ++i)
    if (sorted[i] != static_cast<std::int64_t>(first + i)) return false;
  return true;
}

GRAFT_INLINE bool is_over_last_axes(const Value& input, const Ints& over, const Value& factors, const Value& shifts) {
  const Shape whole = input.shape();
  if (!are_last_axes(whole, over)) return false;
  for (const Value* const value : {&factors, &shifts}) {
    if (value->shape().rank() != over.size()) return false;
    for (std::size_t i = 0; i < over.size(); ++i)
      if (!same_size(value->shape()[i], whole[whole.rank() - over.size() + i])) return false;
  }
  return true;
}

inline constexpr auto layer_normalization = rule<"layer-normalization">(
    normalization_form(), is_layer_normalization,
    op<"LayerNormalization">(x, scale, bias).with(first_axis = call<first_of>(axes), epsilon = call<as_float>(tiny)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView bn_into_conv = rules::bn_into_conv.view();

GRAFT_INLINE constinit const RuleView bn_into_matmul = rules::bn_into_matmul.view();

GRAFT_INLINE constinit const RuleView layer_normalization = rules::layer_normalization.view();

}  // namespace graft::inline v1
