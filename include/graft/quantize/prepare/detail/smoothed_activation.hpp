#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/statistics/feature_moments.hpp>

namespace graft::inline v1::detail {

/// The constant matrix of a MatMul or Gemm, one row for each feature of its input, whether it is stored so or
/// transposed.
class FeatureWeight {
 public:
  FeatureWeight(const Node& node, Tensor weight)
      : weight_(std::move(weight)),
        is_transposed_(node.is("Gemm") && node.attr<std::int64_t>("transB").value_or(0) != 0) {}

  std::size_t features() const { return extent(is_transposed_ ? 1 : 0); }
  std::size_t outputs() const { return extent(is_transposed_ ? 0 : 1); }
  /// f(feature, output, weight) of each.
  template <class F>
  void each(F f) const {
    const std::span<const float> values = weight_.data<float>();
    const std::size_t columns = extent(1);
    for (std::size_t i = 0, row = 0; i < values.size(); ++row)
      for (std::size_t column = 0; column < columns; ++column, ++i)
        f(is_transposed_ ? column : row, is_transposed_ ? row : column, values[i]);
  }
  /// With each row multiplied.
  Tensor times(std::span<const double> factors) const {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(weight_.size()));
    each([&](std::size_t feature, std::size_t, float weight) {
      values.push_back(static_cast<float>(weight * factors[feature]));
    });
    return Tensor::of<float>(weight_.dims(), values);
  }

 private:
  std::size_t extent(std::size_t axis) const { return static_cast<std::size_t>(weight_.dims()[axis]); }

  Tensor weight_;
  bool is_transposed_;
};

/// A matrix, and into how many steps each side of zero its largest weight is divided, in each column or in all.
struct SmoothedWeight {
  FeatureWeight weight;
  double steps;
  bool per_column;
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
      one.weight.each([&](std::size_t feature, std::size_t, float weight) {
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
    std::vector<double> most(one.weight.outputs());
    one.weight.each([&](std::size_t feature, std::size_t output, float weight) {
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
  std::vector<double> energies_;  // of each row of all weights
  std::vector<float> largest_;
};

}  // namespace graft::inline v1::detail
