#pragma once
#include <graft/quantize/weights/bias_correction.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/detail/quantized_weight.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

class BiasCorrector {
 public:
  BiasCorrector(const WeightForms& forms, const Target& target, const Facts& facts)
      : forms_(forms),
        target_(target),
        means_(*facts.find<Statistics<ChannelMeans>>()),
        moments_(facts.find<Statistics<FeatureMoments>>()),
        kept_(facts.value_or_default<KeptInFloat>()),
        forms_of_products_(facts.value_or_default<ProductForms>()) {}

  Report run(Graph& graph) {
    Report report;
    Transaction transaction(graph);
    for (Node& node : graph.nodes()) {
      if (!is_quantized_product(node, target_) && !forms_of_products_.is_dynamic(node)) continue;
      // Behind an integer kernel every reader has a pair. The error of its blocks differs from that of one scale.
      if (forms_of_products_.weight_bits(node)) continue;
      if (!has_channel_response(node) && added_bias(node) == nullptr) continue;
      if (!quantizable(node, target_, kept_)) continue;
      if (const Verdict verdict = correct(node)) {
        ++report.changes;
      } else {
        report.notes.push_back("'" + display_name(node) + "' keeps its bias: " + to_string(verdict.reason()));
      }
    }
    transaction.keep();
    return report;
  }

 private:
  Verdict correct(Node& node) const {
    const std::optional<Tensor> weight = node.input(1)->constant();
    if (!weight || weight->dtype() != DType::f32) return Verdict::no("its weight is quantized already");
    const std::vector<double> means = node.is("MatMul") ? feature_means_of(*node.input(0)) : means_of(*node.input(0));
    if (means.empty()) return Verdict::no("the means of its input are not known");
    const std::optional<WeightChannels> channels = float_channels(node, *weight);
    if (!channels || means.size() != channels->inputs())
      return Verdict::no("the means have another number of channels");
    if (Use* const added = added_bias(node)) {
      std::vector<float> bias = added->value()->constant()->to<float>();
      if (bias.size() != channels->outputs()) return Verdict::no("its bias has no value for each channel");
      const std::vector<double> shifts = mean_errors(node, *weight, *channels, means);
      for (std::size_t n = 0; n < bias.size(); ++n) bias[n] = static_cast<float>(bias[n] - shifts[n]);
      replace_constant(*added->user(), added->index(), Tensor::of<float>(added->value()->constant()->dims(), bias),
                       std::string(added->value()->name()) + "_corrected");
      return Verdict::yes();
    }
    std::vector<float> bias;
    if (const Verdict verdict = read_channel_bias(node, channels->outputs(), bias); !verdict) return verdict;

    const std::vector<double> shifts = mean_errors(node, *weight, *channels, means);
    double factor = 1;
    if (node.is("Gemm")) {
      const auto number = [&](std::string_view name) { return node.attr<float>(name).value_or(1); };
      factor = static_cast<double>(number("alpha")) / number("beta");
    }
    for (std::size_t m = 0; m < bias.size(); ++m) bias[m] = static_cast<float>(bias[m] - factor * shifts[m]);
    replace_channel_bias(node, bias, "_corrected");
    return Verdict::yes();
  }

  /// The index of the input that a node adds to its input i.
  static std::optional<std::size_t> bias_beside(const Node& node, std::size_t i) {
    if (node.is("Add")) return 1 - i;
    if (i == 0 && (node.is("com.microsoft::BiasGelu") || node.is("com.microsoft::FastGelu"))) return 1;
    if (i < 2 && node.is("com.microsoft::SkipLayerNormalization")) return 4;
    if (i < 2 && node.is("com.microsoft::SkipSimplifiedLayerNormalization")) return 3;
    return std::nullopt;
  }

  /// The constant vector that is added to a MatMul, or to the dequantized result of one, if these have no other
  /// readers; else nullptr.
  static Use* added_bias(const Node& node) {
    if (!node.is("MatMul") || !has_result(node) || node.output(0)->use_count() != 1) return nullptr;
    const Use* use = &node.output(0)->uses().front();
    while (use->user() != nullptr && (is_quantize(*use->user()) || is_dequantize(*use->user()))) {
      if (!has_result(*use->user()) || use->user()->output(0)->use_count() != 1) return nullptr;
      use = &use->user()->output(0)->uses().front();
    }
    Node* const adder = use->user();
    const std::optional<std::size_t> place = adder != nullptr ? bias_beside(*adder, use->index()) : std::nullopt;
    if (!place || *place >= adder->input_count() || &adder->graph() != &node.graph()) return nullptr;
    Use& other = adder->use(*place);
    const Value* const bias = other.value();
    const bool is_vector = bias != nullptr && bias->is_constant() && bias->dtype() == DType::f32 &&
                           bias->shape().known() && bias->shape().rank() == 1;
    return is_vector ? &other : nullptr;
  }

  std::vector<double> feature_means_of(const Value& x) const {
    const FeatureMoments* const seen = moments_ != nullptr ? seen_of(x, *moments_) : nullptr;
    std::vector<double> means;
    for (std::size_t j = 0; seen != nullptr && j < seen->features().size(); ++j) means.push_back(seen->mean(j));
    return means;
  }

  /// Empty if the means are not known. For concatenated tensors, as those of join_added_convs(), those of the parts.
  std::vector<double> means_of(const Value& x) const {
    if (const ChannelMeans* const seen = seen_of(x, means_)) return seen->means();
    const Node* const concat = made_by(undequantized(x), "Concat", 0);
    if (concat == nullptr || concat->attr<std::int64_t>("axis") != 1) return {};
    std::vector<double> means;
    for (const Value* const part : concat->inputs()) {
      const ChannelMeans* const seen = part != nullptr ? seen_of(unpooled(undequantized(*part)), means_) : nullptr;
      const std::vector<double> of_part = seen != nullptr ? seen->means() : std::vector<double>();
      if (of_part.empty()) return {};
      means.insert(means.end(), of_part.begin(), of_part.end());
    }
    return means;
  }

  /// The means of the tensor, or of the one from which it is dequantized, if a pair has renamed it.
  template <class S>
  static const S* seen_of(const Value& x, const Statistics<S>& all) {
    const S* const own = all.find(x.name());
    return own != nullptr ? own : all.find(undequantized(x).name());
  }

  static const Value& undequantized(const Value& x) {
    const Node* const quantize = is_dequantized(x) ? paired_quantize(*x.producer()) : nullptr;
    return quantize != nullptr ? *quantize->input(0) : x;
  }
  /// A kernel of one element does not change values, and strides hardly change the means.
  static const Value& unpooled(const Value& x) {
    const Node* const pool = made_by(x, "MaxPool");
    if (pool == nullptr) return x;
    const Ints kernel = pool->attr<Ints>("kernel_shape").value_or(Ints());
    return std::ranges::all_of(kernel, [](std::int64_t extent) { return extent == 1; }) ? *pool->input(0) : x;
  }

  /// The amount that quantizing the weight adds to each output channel if the input has its means.
  std::vector<double> mean_errors(const Node& node, const Tensor& weight, const WeightChannels& channels,
                                  std::span<const double> means) const {
    const std::vector<float> after = quantized_weight(node, forms_.of(node), target_).values();
    const std::span<const float> before = weight.data<float>();
    std::vector<double> errors(channels.outputs());
    double sum = 0;  // of one output channel, whose weights are mostly adjacent
    std::size_t summed = 0;
    channels.each([&](std::size_t i, std::size_t out, std::size_t in) {
      if (out != summed) {
        errors[summed] += std::exchange(sum, 0);
        summed = out;
      }
      sum += (double{after[i]} - before[i]) * means[in];
    });
    errors[summed] += sum;
    return errors;
  }

  const WeightForms& forms_;
  const Target& target_;
  const Statistics<ChannelMeans>& means_;
  const Statistics<FeatureMoments>* moments_;
  const KeptInFloat kept_;
  const ProductForms forms_of_products_;
};

}  // namespace detail

GRAFT_INLINE Pass correct_biases(const WeightForms& forms, const Target& target) {
  return pass("correct_biases",
              [forms, target](Graph& graph, Context& context) {
                return detail::BiasCorrector(forms, target, context.facts).run(graph);
              })
      .needs<Statistics<ChannelMeans>>()
      .preserves_all();
}

}  // namespace graft::inline v1
