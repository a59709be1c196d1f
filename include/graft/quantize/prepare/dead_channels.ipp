#pragma once
#include <graft/quantize/prepare/dead_channels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

class DeadChannelEraser {
 public:
  DeadChannelEraser(const Statistics<ChannelExtremes>& seen, const DeadChannels& when) : seen_(seen), when_(when) {}

  Report run(Graph& graph) const {
    Report report;
    Transaction transaction(graph);
    for (Node& node : graph.nodes())
      if (has_channel_response(node) && node.input(1) != nullptr) erase(node, report);
    transaction.keep();
    return report;
  }

 private:
  void erase(Node& node, Report& report) const {
    const std::optional<Tensor> weight = node.input(1)->constant();
    const std::optional<WeightChannels> channels = weight ? float_channels(node, *weight) : std::nullopt;
    std::vector<float> bias;
    if (!channels || !read_channel_bias(node, channels->outputs(), bias)) return;
    std::vector<float> values = weight->to<float>();
    const std::vector<std::optional<float>> constants =
        constant_outputs(node, magnitudes(node, *channels, values, bias));
    const std::vector<bool> zeros = zero_inputs(node, channels->inputs());

    std::vector<bool> output_erased(channels->outputs()), input_erased(channels->inputs());
    channels->each([&](std::size_t i, std::size_t out, std::size_t in) {
      if (values[i] == 0 || (!constants[out] && !zeros[in])) return;
      values[i] = 0;
      if (constants[out]) output_erased[out] = true;
      else input_erased[in] = true;
    });
    const auto outputs = std::count(output_erased.begin(), output_erased.end(), true);
    const auto inputs = std::count(input_erased.begin(), input_erased.end(), true);
    if (outputs + inputs == 0) return;
    replace_constant(node, 1, Tensor::of<float>(weight->dims(), values), std::string(node.input(1)->name()) + "_live");
    if (outputs != 0) {
      const float beta = node.is("Gemm") ? node.attr<float>("beta").value_or(1) : 1;
      for (std::size_t c = 0; c < bias.size(); ++c)
        if (output_erased[c]) bias[c] = *constants[c] / beta;
      replace_channel_bias(node, bias, "_live");
    }
    ++report.changes;
    report.notes.push_back("'" + display_name(node) + "': " + std::to_string(outputs) + " of " +
                           std::to_string(bias.size()) + " channels are constant, and " + std::to_string(inputs) +
                           " that it reads are 0; their weights are 0 now");
  }

  /// nullptr if too few values, or another number of channels, were seen.
  const ChannelExtremes* seen(const Value& value, std::size_t channels) const {
    const ChannelExtremes* const extremes = seen_.find(value.name());
    const bool enough =
        extremes != nullptr && extremes->count() >= when_.values && extremes->ranges().size() == channels;
    return enough ? extremes : nullptr;
  }

  /// The sum of the magnitudes that each output channel adds; 0 if too few values of the input were seen.
  std::vector<double> magnitudes(const Node& node, const WeightChannels& channels, const std::vector<float>& weights,
                                 const std::vector<float>& bias) const {
    std::vector<double> sums(channels.outputs());
    const ChannelExtremes* const inputs = seen(*node.input(0), channels.inputs());
    if (inputs == nullptr) return sums;
    channels.each([&](std::size_t i, std::size_t out, std::size_t in) {
      const Range& range = inputs->ranges()[in];
      sums[out] += std::abs(double{weights[i]}) * std::max(std::abs(range.min), std::abs(range.max));
    });
    for (std::size_t out = 0; out < sums.size(); ++out) sums[out] += std::abs(double{bias[out]});
    return sums;
  }

  /// For each constant channel, the value that the node can output instead. Values are seen where the tensor will be
  /// quantized: behind an activation that is the only reader. The result is the value nearest to 0 that was seen there,
  /// if Relu or Clip passes it unchanged; else the one seen in front.
  std::vector<std::optional<float>> constant_outputs(const Node& node, const std::vector<double>& magnitudes) const {
    const std::size_t channels = magnitudes.size();
    std::vector<std::optional<float>> constants(channels);
    const ChannelExtremes* const before = seen(*node.output(0), channels);
    const Node* const activation = sole_activation(*node.output(0));
    const ChannelExtremes* const last = activation != nullptr ? seen(*activation->output(0), channels) : before;
    if (before == nullptr || last == nullptr) return constants;
    const bool is_kept = activation != nullptr && bounds(*activation).has_value();
    for (std::size_t c = 0; c < channels; ++c) {
      const Range& seen_behind = last->ranges()[c];
      if (double{seen_behind.max} - seen_behind.min > when_.roundings * 0x1p-24 * magnitudes[c]) continue;
      const Range& range = (is_kept ? last : before)->ranges()[c];
      constants[c] = std::abs(range.min) < std::abs(range.max) ? range.min : range.max;
    }
    return constants;
  }

  /// Padding is 0 too.
  std::vector<bool> zero_inputs(const Node& node, std::size_t channels) const {
    std::vector<bool> zeros(channels);
    if (const ChannelExtremes* const extremes = seen(*node.input(0), channels))
      for (std::size_t c = 0; c < channels; ++c) zeros[c] = extremes->ranges()[c] == Range{0, 0};
    return zeros;
  }

  const Statistics<ChannelExtremes>& seen_;
  const DeadChannels when_;
};

}  // namespace detail

GRAFT_INLINE Pass zero_dead_channels(const DeadChannels& when) {
  return pass("zero_dead_channels",
              [when](Graph& graph, Context& context) {
                const auto& seen = *context.facts.find<Statistics<ChannelExtremes>>();
                return detail::DeadChannelEraser(seen, when).run(graph);
              })
      .needs<Statistics<ChannelExtremes>>()
      .preserves_all();
}

}  // namespace graft::inline v1
