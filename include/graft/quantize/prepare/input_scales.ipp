#pragma once
#include <graft/quantize/prepare/input_scales.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/prepare/detail/input_scale.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/vocabulary/channel_front.hpp>

namespace graft::inline v1 {

namespace detail {

/// The products that read one value, and the factors of its channels.
class EvenedInput {
 public:
  struct Reader {
    Node* node;
    Tensor weight;
    WeightChannels channels;
  };

  /// Leaves out a reader whose channels are along another axis than those of the first.
  void add(Node& node, const Tensor& weight, const WeightChannels& channels) {
    if (!readers_.empty() &&
        (readers_[0].channels.inputs() != channels.inputs() || readers_[0].node->is("Conv") != node.is("Conv")))
      return;
    readers_.push_back({&node, weight, channels});
  }

  /// Rescales the readers, and returns the Mul in front of them. nullptr if no reader would gain much.
  Node* rescale() {
    find_factors();
    if (!(error() > max_error)) return nullptr;
    Value& x = *readers_.front().node->input(0);
    Graph& graph = x.graph();
    const Reader& first = readers_.front();
    const std::size_t behind = first.node->is("Conv") ? first.weight.rank() - 2 : 0;
    Dims dims(behind + 1, 1);
    dims[0] = static_cast<std::int64_t>(factors_.size());
    Value& constant = graph.add_initializer(Tensor::of(DType::f32, dims, factors_), std::string(x.name()) + "_factors");
    Node& mul = graph.insert("Mul", {&x, &constant}, 1, {}, first.node, std::string(x.name()) + "_evened");
    if (x.type() != nullptr) graph.set_type(*mul.output(0), *x.type());
    for (const Reader& reader : readers_) {
      replace_constant(*reader.node, 1, Tensor::of(DType::f32, reader.weight.dims(), evened_weight(reader)),
                       std::string(reader.node->input(1)->name()) + "_evened");
      rewire(*reader.node, 0, *mul.output(0));
    }
    return &mul;
  }

 private:
  /// Two of eight bits.
  static constexpr double max_error = 16;

  /// The root mean square of the weights of each channel, as a fraction of the greatest, after scaling the weights of
  /// each output to 1. The factor is a power of two, so that products are exact. Each round undoes the effect of
  /// channels on outputs.
  void find_factors() {
    const std::size_t inputs = readers_.front().channels.inputs();
    std::vector<double> magnitudes(inputs, 1);
    for (int round = 0; round < 4; ++round) {
      std::vector<double> squares(inputs), counts(inputs);
      for (const Reader& reader : readers_) {
        const std::vector<float> weights = reader.weight.to<float>();
        std::vector<double> of_outputs(reader.channels.outputs(), round == 0 ? 1 : 0);
        if (round != 0)
          reader.channels.each([&](std::size_t i, std::size_t out, std::size_t in) {
            const double weight = magnitudes[in] > 0 ? weights[i] / magnitudes[in] : 0;
            of_outputs[out] += weight * weight;
          });
        reader.channels.each([&](std::size_t i, std::size_t out, std::size_t in) {
          if (!(of_outputs[out] > 0)) return;
          squares[in] += double{weights[i]} * double{weights[i]} / of_outputs[out];
          ++counts[in];
        });
      }
      for (std::size_t in = 0; in < inputs; ++in)
        magnitudes[in] = counts[in] > 0 ? std::sqrt(squares[in] / counts[in]) : 0;
    }
    const double greatest = *std::ranges::max_element(magnitudes);
    factors_.clear();
    for (const double magnitude : magnitudes)
      factors_.push_back(magnitude > greatest * 0x1p-60 ? std::exp2(std::round(std::log2(magnitude / greatest))) : 1);
  }

  /// The weights divided by the factors.
  std::vector<double> evened_weight(const Reader& reader) const {
    std::vector<double> values = reader.weight.to<double>();
    reader.channels.each([&](std::size_t i, std::size_t, std::size_t input) { values[i] /= factors_[input]; });
    return values;
  }

  /// The error of the unchanged weights, for channels whose magnitudes the factors equalize: the greatest error of a
  /// reader.
  double error() const {
    double most = 0;
    for (const Reader& reader : readers_) {
      vocabulary::ChannelFront front;
      front.factors = factors_;
      front.shifts.assign(factors_.size(), 0);
      most = std::max(most, vocabulary::error_of_folding(front, reader.channels, evened_weight(reader)));
    }
    return most;
  }

  std::vector<Reader> readers_;
  std::vector<double> factors_;
};

inline Report even_out_inputs(Graph& graph, Context& context) {
  const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
  std::unordered_map<const Value*, EvenedInput> inputs;
  std::vector<EvenedInput*> in_order;
  for (Node& node : graph.nodes()) {
    const Value* const x = node.input_count() > 1 ? node.input(0) : nullptr;
    const Value* const w = x != nullptr ? node.input(1) : nullptr;
    if (w == nullptr || !w->is_constant() || !w->has_one_use() || kept.holds(node) || !is_prepared_input(*x)) continue;
    const std::optional<Tensor> weight = w->constant();
    const std::optional<WeightChannels> channels = weight ? float_channels(node, *weight) : std::nullopt;
    if (!channels) continue;
    const auto [place, is_new] = inputs.try_emplace(x);
    if (is_new) in_order.push_back(&place->second);
    place->second.add(node, *weight, *channels);
  }
  Report report;
  Transaction transaction(graph);
  for (EvenedInput* const input : in_order) {
    Node* const mul = input->rescale();
    if (mul == nullptr) continue;
    ++report.changes;
    context.facts.edit_or_provide<KeptInFloat>().add(*mul, "it brings features of an input to one scale");
    report.notes.push_back("'" + display_name(*mul) + "' multiplies the features of '" +
                           std::string(mul->input(0)->name()) + "', of which weights differ much in magnitude");
  }
  transaction.keep();
  return report;
}

}  // namespace detail

GRAFT_INLINE Pass even_out_input_weights() {
  return pass("even_out_input_weights", &detail::even_out_inputs).provides<KeptInFloat>().preserves_all();
}

GRAFT_INLINE Pass keep_input_scales_in_float() {
  const auto run = [](Graph& graph, Context& context) {
    Report report;
    for (Node& node : graph.nodes())
      if (detail::scales_input(node))
        detail::keep(node, "it brings features of an input to one scale", context.facts, report);
    return report;
  };
  return pass("keep_input_scales_in_float", run).provides<KeptInFloat>().preserves_all();
}

}  // namespace graft::inline v1
