#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/graph/weight_channels.hpp>

namespace graft::inline v1::detail {

/// The greatest magnitude of the weights that join an input to an output channel, as a matrix: its rows are the output
/// channels of a Conv and a transposed Gemm, and the input channels of another Gemm. Of a grouped Conv a row has the
/// inputs of its group alone. In float, as sweeps over all layers go through it many times.
class JointMagnitudes {
 public:
  JointMagnitudes(Tensor weight, const WeightChannels& channels) : weight_(std::move(weight)), channels_(channels) {
    const std::size_t outputs = channels_.outputs();
    has_outputs_in_rows_ = !channels_.has_inputs_in_front();
    if (!has_outputs_in_rows_) {
      rows_ = channels_.inputs();
      columns_ = outputs;
      return;
    }
    rows_ = outputs;
    const std::size_t count = static_cast<std::size_t>(weight_.size());
    columns_ = channels_.input(count / outputs - 1) - channels_.input(0) + 1;
    const std::size_t spatial = count / outputs / columns_;
    if (spatial == 1) return;
    const std::span<const float> weights = weight_.data<float>();
    greatest_.resize(rows_ * columns_);
    for (std::size_t i = 0; i < greatest_.size(); ++i)
      for (const float one : weights.subspan(i * spatial, spatial))
        greatest_[i] = std::max(greatest_[i], std::abs(one));
  }

  /// The greatest magnitude of each output channel where inputs are multiplied by factors.
  std::vector<double> of_outputs(std::span<const double> input_factors) const {
    return has_outputs_in_rows_ ? of_rows(input_factors) : of_columns(input_factors);
  }
  /// That of each input channel where outputs are.
  std::vector<double> of_inputs(std::span<const double> output_factors) const {
    return has_outputs_in_rows_ ? of_columns(output_factors) : of_rows(output_factors);
  }

 private:
  std::span<const float> row(std::size_t i) const {
    const std::span<const float> all = greatest_.empty() ? weight_.data<float>() : std::span<const float>(greatest_);
    return all.subspan(i * columns_, columns_);
  }
  /// The first column's place among the channels.
  std::size_t first_of(std::size_t row) const {
    return has_outputs_in_rows_ ? channels_.input(row * (static_cast<std::size_t>(weight_.size()) / rows_)) : 0;
  }

  std::vector<double> of_rows(std::span<const double> column_factors) const {
    constexpr std::size_t lanes = 16;  // which compilers compute side by side
    const std::vector<float> factors(column_factors.begin(), column_factors.end());
    std::vector<double> result(rows_);
    for (std::size_t r = 0; r < rows_; ++r) {
      const std::span<const float> magnitudes = row(r);
      const float* const by = factors.data() + first_of(r);
      std::array<float, lanes> most{};
      std::size_t c = 0;
      for (; c + lanes <= columns_; c += lanes)
        for (std::size_t j = 0; j < lanes; ++j) most[j] = std::max(most[j], std::abs(magnitudes[c + j]) * by[c + j]);
      for (; c < columns_; ++c) most[0] = std::max(most[0], std::abs(magnitudes[c]) * by[c]);
      result[r] = double{*std::max_element(most.begin(), most.end())};
    }
    return result;
  }

  std::vector<double> of_columns(std::span<const double> row_factors) const {
    std::vector<float> most(has_outputs_in_rows_ ? channels_.inputs() : columns_);
    for (std::size_t r = 0; r < rows_; ++r) {
      const std::span<const float> magnitudes = row(r);
      float* const to = most.data() + first_of(r);
      const auto factor = static_cast<float>(row_factors[r]);
      for (std::size_t c = 0; c < columns_; ++c) to[c] = std::max(to[c], std::abs(magnitudes[c]) * factor);
    }
    return std::vector<double>(most.begin(), most.end());
  }

  Tensor weight_;
  WeightChannels channels_;
  bool has_outputs_in_rows_;
  std::size_t rows_, columns_;
  std::vector<float> greatest_;  // of a Conv over more than one place; else the weights are it
};

}  // namespace graft::inline v1::detail
