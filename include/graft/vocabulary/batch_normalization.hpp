#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/vocabulary/captures.hpp>

// BatchNormalization in inference (ONNX, since version 7): channel m becomes (x - mean[m]) * factor[m] + bias[m], where
// factor[m] = scale[m] / sqrt(variance[m] + epsilon).

namespace graft::inline v1::vocabulary {

inline constexpr auto bn = node<"bn">;
inline constexpr auto momentum = attr<"momentum", float>;
inline constexpr auto training_mode = attr<"training_mode", std::int64_t>;

/// BatchNormalization of constants, with its attributes. momentum has no effect in inference.
constexpr auto batch_normalization(const pattern auto& input) {
  return op<"BatchNormalization">(input, scale, bias, mean, variance)
      .with(epsilon, opt(momentum), opt(training_mode == 0))
      .as(bn)
      .since(7);
}

/// Before version 14 more outputs than the first mean training.
inline bool has_one_output(const Node& normalization) {
  for (std::size_t i = 1; i < normalization.output_count(); ++i)
    if (!normalization.output(i)->name().empty()) return false;
  return true;
}

inline std::vector<double> channel_factors(const Tensor& scales, const Tensor& variances, float eps) {
  std::vector<double> factors = scales.to<double>();
  const std::vector<double> spread = variances.to<double>();
  for (std::size_t m = 0; m < factors.size(); ++m) factors[m] /= std::sqrt(spread[m] + static_cast<double>(eps));
  return factors;
}

/// The summands of the channels, after their factors.
inline std::vector<double> channel_biases(const std::vector<double>& factors, const Tensor& biases,
                                          const Tensor& means) {
  const std::vector<double> centre = means.to<double>();
  std::vector<double> numbers = biases.to<double>();
  for (std::size_t m = 0; m < numbers.size(); ++m) numbers[m] -= centre[m] * factors[m];
  return numbers;
}

/// Whether each of the statistics has one value for each of `channels` channels.
inline bool are_per_channel(std::initializer_list<const Tensor*> statistics, std::int64_t channels) {
  return std::all_of(statistics.begin(), statistics.end(),
                     [channels](const Tensor* statistic) { return statistic->size() == channels; });
}

inline bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

/// Whether factors and summands are finite.
inline Verdict are_finite(const std::vector<double>& factors, const Tensor& biases, const Tensor& means) {
  if (!all_finite(factors))
    return Verdict::no("a scale is not finite, or variance and epsilon of a channel do not add up to more than 0");
  if (!all_finite(biases.to<double>()) || !all_finite(means.to<double>()))
    return Verdict::no("a bias or a mean is not finite");
  return Verdict::yes();
}

/// The greatest magnitude, NaN if a number is not finite. Compilers vectorize loops of constant length.
inline double greatest_if_finite(const std::vector<double>& numbers) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> greatest{}, residue{};  // x - x is 0 of what is finite, else NaN
  const std::size_t whole = numbers.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double number = numbers[i + k], magnitude = std::abs(number);
      greatest[k] = magnitude > greatest[k] ? magnitude : greatest[k];
      residue[k] += number - number;
    }
  }
  double result = 0, rest = 0;
  for (std::size_t k = 0; k < lanes; ++k) {
    result = std::max(result, greatest[k]);
    rest += residue[k];
  }
  for (std::size_t i = whole; i < numbers.size(); ++i) {
    result = std::max(result, std::abs(numbers[i]));
    rest += numbers[i] - numbers[i];
  }
  return result + rest;
}

/// Whether a tensor of that dtype can store the numbers. f16 ends at 65504; if all are below its smallest normal
/// number, 2^-14, they lose digits.
inline Verdict fit(const std::vector<double>& numbers, DType dtype) {
  const double largest = greatest_if_finite(numbers);
  if (std::isnan(largest)) return Verdict::no("a folded number is not finite");
  if (!std::isfinite(Tensor::scalar(dtype, largest).item<double>()))
    return Verdict::no("a folded number is too large for its dtype");
  if (const double least = dtype == DType::f16 ? 0x1p-14 : dtype == DType::f64 ? 0x1p-1022 : 0x1p-126;
      largest != 0 && largest < least)
    return Verdict::no("folded numbers are too small for their dtype");
  return Verdict::yes();
}

}  // namespace graft::inline v1::vocabulary
