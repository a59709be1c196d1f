#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/quantize/calibrate/statistics/feature_moments.hpp>

namespace graft::inline v1::detail {

/// The constant matrix of a MatMul or Gemm. Its input channels are the features of the activation.
struct SmoothedWeight {
  Tensor matrix;
  WeightChannels channels;
  double steps;     ///< that each side of zero is divided into, up to the largest weight
  bool per_column;  ///< in each column, or in all

  /// f(feature, column, weight) for each.
  template <class F>
  void each(F f) const {
    const std::span<const float> values = matrix.data<float>();
    channels.each([&](std::size_t i, std::size_t column, std::size_t feature) { f(feature, column, values[i]); });
  }
  /// With the weights of each feature multiplied.
  Tensor times(std::span<const double> factors) const {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(matrix.size()));
    each([&](std::size_t feature, std::size_t, float weight) {
      values.push_back(static_cast<float>(weight * factors[feature]));
    });
    return Tensor::of(matrix.dims(), values);
  }
};

/// The expected squared error of the products of one activation when it and the weights are quantized.
class SmoothingError {
 public:
  SmoothingError(const FeatureMoments& moments, double activation_steps, std::span<const SmoothedWeight> weights)
      : moments_(moments),
        activation_steps_(activation_steps),
        weights_(weights),
        energies_(moments.features().size()),
        largest_(energies_.size()) {
    for (const SmoothedWeight& one : weights_) {
      one.each([&](std::size_t feature, std::size_t, float weight) {
        energies_[feature] += static_cast<double>(weight) * weight;
        largest_[feature] = std::max(largest_[feature], std::abs(weight));
      });
    }
  }

  /// s_j, with a geometric mean of 1. Features that are zero, or met by zeros alone, have 1.
  std::vector<double> factors(double exponent) const {
    std::vector<double> factors(energies_.size(), 1);
    double logarithms = 0;
    std::vector<std::size_t> scaled;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Range& range = moments_.features()[j].range;
      const double activation = std::max(std::abs(range.min), std::abs(range.max)), weight = largest_[j];
      if (!(activation > 0) || !(weight > 0)) continue;
      factors[j] = std::pow(activation, exponent) / std::pow(weight, 1 - exponent);
      logarithms += std::log(factors[j]);
      scaled.push_back(j);
    }
    const double mean = std::exp(logarithms / static_cast<double>(std::max<std::size_t>(scaled.size(), 1)));
    for (const std::size_t j : scaled) factors[j] = std::clamp(factors[j] / mean, 0x1p-20, 0x1p20);
    return factors;
  }

  /// A rounding error is uniform in one step: its mean square is step^2 / 12.
  double with(std::span<const double> factors) const {
    double min = 0, max = 0, energy = 0, squares = 0;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Range& range = moments_.features()[j].range;
      min = std::min(min, range.min / factors[j]);
      max = std::max(max, range.max / factors[j]);
      energy += factors[j] * factors[j] * energies_[j];
      squares += moments_.mean_square(j) / (factors[j] * factors[j]);
    }
    const double step = (max - min) / activation_steps_;
    double error = step * step * energy;
    for (const SmoothedWeight& one : weights_) error += squares * squared_steps(one, factors);
    return error / 12;
  }

 private:
  static double squared_steps(const SmoothedWeight& one, std::span<const double> factors) {
    std::vector<double> most(one.channels.outputs());
    one.each([&](std::size_t feature, std::size_t output, float weight) {
      most[output] = std::max(most[output], std::abs(weight * factors[feature]));
    });
    if (!one.per_column) std::ranges::fill(most, *std::ranges::max_element(most));
    double sum = 0;
    for (const double magnitude : most) sum += magnitude / one.steps * magnitude / one.steps;
    return sum;
  }

  const FeatureMoments& moments_;
  double activation_steps_;
  std::span<const SmoothedWeight> weights_;
  std::vector<double> energies_;  // of the weights of each feature
  std::vector<float> largest_;
};

}  // namespace graft::inline v1::detail
