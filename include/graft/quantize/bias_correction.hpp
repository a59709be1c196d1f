#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/quantize/calibrate.hpp>
#include <graft/quantize/channels.hpp>
#include <graft/quantize/detail/drop.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/quantize_tensor.hpp>
#include <graft/quantize/statistics/channel_means.hpp>
#include <graft/quantize/weights.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether a mean output follows from the mean of each input channel: Conv, and Gemm with its channels in columns.
inline bool has_channel_response(const Node& node) {
  return node.is("Conv") || (node.is("Gemm") && node.attr<std::int64_t>("transA").value_or(0) == 0);
}

/// A constant weight as [input channels of a group, output channels], each element the sum of the differences that
/// quantizing makes at the kernel's positions.
class WeightError {
 public:
  WeightError(const Tensor& weight, const QuantizedTensor& quantized, std::size_t out_axis)
      : dims_(weight.dims()), out_is_first_(out_axis == 0) {
    const std::span<const float> before = weight.data<float>();
    const std::vector<std::int32_t> codes = quantized.data.to<std::int32_t>(),
                                    zero_points = quantized.zero_point.to<std::int32_t>();
    const std::vector<float> scales = quantized.scale.to<float>();
    sums_.resize(first() * second());
    const std::size_t positions = sums_.empty() ? 0 : before.size() / sums_.size();
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t place = i / positions, out = out_is_first_ ? place / second() : place % second();
      const std::size_t channel = scales.size() == 1 ? 0 : out;
      sums_[place] += static_cast<double>(scales[channel]) * (codes[i] - zero_points[channel]) - before[i];
    }
  }

  std::size_t outputs() const { return out_is_first_ ? first() : second(); }
  std::size_t inputs() const { return out_is_first_ ? second() : first(); }
  double at(std::size_t input, std::size_t output) const {
    return out_is_first_ ? sums_[output * second() + input] : sums_[input * second() + output];
  }

 private:
  std::size_t first() const { return static_cast<std::size_t>(dims_[0]); }
  std::size_t second() const { return static_cast<std::size_t>(dims_[1]); }

  Dims dims_;
  bool out_is_first_;
  std::vector<double> sums_;
};

class BiasCorrector {
 public:
  BiasCorrector(Granularity granularity, const Target& target, const Statistics<ChannelMeans>& means)
      : granularity_(granularity), target_(target), means_(means) {}

  Report run(Graph& graph) {
    Report report;
    Transaction transaction(graph);
    for (Node& node : graph.nodes()) {
      if (!is_integer_conv(node, target_) || !has_channel_response(node) || !quantizable(node, target_)) continue;
      if (const Verdict verdict = correct(node)) {
        ++report.changes;
      } else {
        report.notes.push_back("'" + describe(node.proto()) + "' keeps its bias: " +
                               std::string(verdict.reason().text));
      }
    }
    transaction.keep();
    return report;
  }

 private:
  Verdict correct(Node& node) const {
    const std::optional<Tensor> weight = node.input(1)->constant();
    if (!weight || weight->dtype() != DType::f32) return Verdict::no("its weight is quantized already");
    const ChannelMeans* const seen = means_.find(node.input(0)->name());
    if (seen == nullptr) return Verdict::no("the means of its input are not known");
    Value* const bias = node.input(2);
    if (bias != nullptr && !bias->is_constant()) return Verdict::no("its bias is not constant");

    const std::size_t out_axis = channel_axis(node, weight->rank()).value();
    const bool per_channel = granularity_ == Granularity::per_channel;
    const QuantizedTensor quantized =
        quantize_tensor(*weight, target_.weight, per_channel ? std::optional(out_axis) : std::nullopt);
    const WeightError error(*weight, quantized, out_axis);
    const std::vector<double> means = seen->means();
    const auto groups =
        static_cast<std::size_t>(std::max<std::int64_t>(node.attr<std::int64_t>("group").value_or(1), 1));
    if (means.size() != error.inputs() * groups || error.outputs() % groups != 0)
      return Verdict::no("the means are of another number of channels");
    double factor = 1;
    if (node.is("Gemm")) {
      const auto number = [&](std::string_view name) { return node.attr<float>(name).value_or(1); };
      if (number("beta") == 0) return Verdict::no("its beta is 0");
      factor = static_cast<double>(number("alpha")) / number("beta");
    }
    std::vector<float> corrected(error.outputs());
    if (bias != nullptr) {
      const std::optional<Tensor> tensor = bias->constant();
      const Dims one_each{static_cast<std::int64_t>(error.outputs())};
      if (!tensor || tensor->dtype() != DType::f32 || tensor->dims() != one_each)
        return Verdict::no("its bias has no value for each channel");
      corrected = tensor->to<float>();
    }
    for (std::size_t m = 0; m < corrected.size(); ++m) {
      const std::size_t first = m / (error.outputs() / groups) * error.inputs();
      double shift = 0;
      for (std::size_t c = 0; c < error.inputs(); ++c) shift += error.at(c, m) * means[first + c];
      corrected[m] = static_cast<float>(corrected[m] - factor * shift);
    }
    replace_bias(node, corrected);
    return Verdict::yes();
  }

  /// Others may share the old one.
  static void replace_bias(Node& node, std::span<const float> values) {
    Graph& graph = node.graph();
    Value* const old = node.input(2);
    const std::string hint = old != nullptr ? std::string(old->name()) : std::string(node.input(1)->name()) + "_bias";
    if (node.input_count() < 3) graph.resize_inputs(node, 3);
    rewire(node, 2, graph.add_initializer(Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values),
                                          hint + "_corrected"));
    drop_unused(old);
  }

  Granularity granularity_;
  const Target& target_;
  const Statistics<ChannelMeans>& means_;
};

}  // namespace detail

/// What the biases of a graph are corrected by: the inputs of its Conv and Gemm, each once.
inline std::vector<const Value*> channel_inputs(const Graph& graph) {
  std::vector<const Value*> values;
  std::unordered_set<const Value*> seen;
  for (const Node& node : graph.nodes()) {
    const Value* const x = detail::has_channel_response(node) ? node.input(0) : nullptr;
    if (x != nullptr && !x->is_constant() && seen.insert(x).second) values.push_back(x);
  }
  return values;
}

/// The pass that runs the graph on samples as calibrate() does, and provides the means of the input channels of every
/// Conv and Gemm, a Statistics<ChannelMeans>, to the passes behind it.
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass observe_channel_means(Samples samples, MakeExecutor make_executor = {}) {
  const auto run = [samples = std::move(samples), make_executor](Graph& graph, Context& context) {
    Statistics<ChannelMeans> means;
    Report report = detail::run_samples(graph, channel_inputs(graph), samples, make_executor, means, context,
                                        "observe_channel_means");
    if (report.outcome != Outcome::cancelled) context.facts.provide(std::move(means));
    return report;
  };
  return pass("observe_channel_means", run).makes({"channel_means"});
}

/// The pass that takes from every bias what quantize_weights() with the same arguments, which comes later, will add to
/// the output on average: b - sum((W' - W) E[x]), where W' is the weight as it is stored and E[x] the means of the
/// input's channels; a bias that is absent is taken for 0. Padding is neglected. Nagel et al., Data-Free Quantization
/// Through Weight Equalization and Bias Correction (2019), section 4.2. It comes before the quantizers are injected.
inline Pass correct_biases(Granularity granularity, const Target& target) {
  return pass("correct_biases",
              [granularity, target](Graph& graph, Context& context) {
                return detail::BiasCorrector(granularity, target, *context.facts.find<Statistics<ChannelMeans>>())
                    .run(graph);
              })
      .needs(needs_fact<Statistics<ChannelMeans>>("channel_means", "observe_channel_means"));
}

}  // namespace graft::inline v1
