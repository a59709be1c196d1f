#pragma once
#include <algorithm>
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
#include <graft/quantize/prepare/detail/joint_magnitudes.hpp>

namespace graft::inline v1::detail {

/// A Conv or Gemm whose input channels are about to be multiplied and whose output channels divided by factors.
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
  /// What was multiplied into each input channel, and each output channel was divided by, up to now.
  std::vector<double>& multipliers() { return multipliers_; }
  std::vector<double>& divisors() { return divisors_; }
  const std::vector<double>& divisors() const { return divisors_; }

  /// The greatest magnitude among the weights that make each output channel, and that read each input channel.
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

  /// Gives the node its new constants, if they are others.
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
