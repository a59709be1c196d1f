#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/float_channels.hpp>

namespace graft::inline v1::detail {

/// The greatest weight magnitude for each pair of input and output channel, as a matrix. Its rows are the output
/// channels of a Conv and a transposed Gemm, and the input channels of another Gemm. In a grouped Conv, a row has only
/// the inputs of its group. In float, because sweeps over all layers read it many times.
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

  /// The greatest magnitude of each output channel when inputs are multiplied by factors.
  std::vector<double> of_outputs(std::span<const double> input_factors) const {
    return has_outputs_in_rows_ ? of_rows(input_factors) : of_columns(input_factors);
  }
  /// The greatest magnitude of each input channel when outputs are multiplied by factors.
  std::vector<double> of_inputs(std::span<const double> output_factors) const {
    return has_outputs_in_rows_ ? of_columns(output_factors) : of_rows(output_factors);
  }

 private:
  std::span<const float> row(std::size_t i) const {
    const std::span<const float> all = greatest_.empty() ? weight_.data<float>() : std::span<const float>(greatest_);
    return all.subspan(i * columns_, columns_);
  }
  /// The channel of the first column.
  std::size_t first_of(std::size_t row) const {
    return has_outputs_in_rows_ ? channels_.input(row * (static_cast<std::size_t>(weight_.size()) / rows_)) : 0;
  }

  std::vector<double> of_rows(std::span<const double> column_factors) const {
    constexpr std::size_t lanes = 16;  // compilers vectorize over these
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
  std::vector<float> greatest_;  // of a Conv with kernels of several elements; otherwise the weights are used
};

/// A Conv or Gemm with pending factors: input channels are multiplied, and output channels divided by them.
class EqualizedLayer {
 public:
  /// nullopt if its weight or bias is not constant float32.
  static std::optional<EqualizedLayer> of(Node& node) {
    if (!has_channel_response(node) || node.input(1) == nullptr) return std::nullopt;
    std::optional<Tensor> weight = node.input(1)->constant();
    const std::optional<WeightChannels> channels = weight ? float_channels(node, *weight) : std::nullopt;
    std::vector<float> bias;
    if (!channels || !read_channel_bias(node, channels->outputs(), bias)) return std::nullopt;
    return EqualizedLayer(node, *std::move(weight), *channels, std::move(bias));
  }

  Node& node() const { return *node_; }
  const WeightChannels& channels() const { return channels_; }
  /// The factors so far: of each input channel, and of each output channel.
  std::vector<double>& multipliers() { return multipliers_; }
  std::vector<double>& divisors() { return divisors_; }
  const std::vector<double>& divisors() const { return divisors_; }

  /// The greatest magnitude of the weights that produce each output channel, and of those that read each input channel.
  std::vector<double> output_magnitudes() const {
    std::vector<double> most = magnitudes_.of_outputs(multipliers_);
    for (std::size_t out = 0; out < most.size(); ++out) most[out] /= divisors_[out];
    return most;
  }
  std::vector<double> input_magnitudes() const {
    std::vector<double> factors;
    for (const double divisor : divisors_) factors.push_back(1 / divisor);
    std::vector<double> most = magnitudes_.of_inputs(factors);
    for (std::size_t in = 0; in < most.size(); ++in) most[in] *= multipliers_[in];
    return most;
  }

  /// Sets the new constants of the node, if they differ.
  void store() const {
    const auto is_changed = [](const std::vector<double>& factors) {
      return std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1; });
    };
    if (!is_changed(multipliers_) && !is_changed(divisors_)) return;
    std::vector<float> values(static_cast<std::size_t>(weight_.size()));
    const std::span<const float> weights = weight_.data<float>();
    channels_.each([&](std::size_t i, std::size_t out, std::size_t in) {
      values[i] = static_cast<float>(weights[i] * multipliers_[in] / divisors_[out]);
    });
    replace_constant(*node_, 1, Tensor::of<float>(weight_.dims(), values),
                     std::string(node_->input(1)->name()) + "_equalized");
    if (node_->input(2) == nullptr || !is_changed(divisors_)) return;
    std::vector<float> bias = bias_;
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = static_cast<float>(bias[c] / divisors_[c]);
    replace_channel_bias(*node_, bias, "_equalized");
  }

 private:
  EqualizedLayer(Node& node, Tensor weight, const WeightChannels& channels, std::vector<float> bias)
      : node_(&node),
        weight_(std::move(weight)),
        channels_(channels),
        magnitudes_(weight_, channels),
        bias_(std::move(bias)),
        multipliers_(channels.inputs(), 1),
        divisors_(channels.outputs(), 1) {}

  Node* node_;
  Tensor weight_;
  WeightChannels channels_;
  JointMagnitudes magnitudes_;
  std::vector<float> bias_;
  std::vector<double> multipliers_, divisors_;
};

}  // namespace graft::inline v1::detail
