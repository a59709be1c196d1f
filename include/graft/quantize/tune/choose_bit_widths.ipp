#pragma once
#include <graft/quantize/tune/choose_bit_widths.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/quantized_weight.hpp>
#include <graft/quantize/detail/silent.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/knapsack.hpp>
#include <graft/quantize/tune/detail/noise_share.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// A number of bits, and the noise in the outputs where one tensor alone has it.
struct MeasuredBits {
  int bits = 8;
  double noise = 0;
};

/// A product by a constant weight.
struct WidthLayer {
  std::string name{};
  double products = 0, weights = 0;  ///< of one inference; elements
  std::vector<MeasuredBits> bits{};  ///< of the weight
  bool is_fixed = true;              ///< the weight keeps the bits that it has
};

/// A tensor, or none if its layers have an input in float, and the layers that read it.
struct WidthGroup {
  std::string tensor{};
  std::vector<std::size_t> layers{};
  std::vector<MeasuredBits> bits{};  ///< of the tensor
};

/// The bits of all layers and groups.
struct BitWidths {
  std::vector<int> of_layers, of_groups;
};

/// The work of choose_bit_widths() on one graph.
class BitWidthSearch {
 public:
  BitWidthSearch(Graph& graph, const std::function<Pass(const WeightForms&)>& quantize, const SampleSource& samples,
                 const WeightForms& forms, const Target& target, const BitBudget& budget,
                 const ExecutorFactory& make_executor, const Context& context)
      : graph_(graph),
        quantize_(quantize),
        forms_(forms),
        target_(target),
        budget_(budget),
        make_executor_(make_executor),
        context_(silent(context)),
        progress_(context),
        pool_(static_cast<int>(std::max<std::size_t>(context.threads, 1))),
        parallel_(std::ref(pool_)),
        measured_(graph),
        copy_(copied()) {
    AnyExecutor executor = make_executor_(graph);
    const Fetches outputs = measured_.in_floats(graph);
    for_first(samples, budget.samples, context, [&](std::size_t, const Sample& sample) {
      floats_.push_back(executor.run(sample.feeds, outputs));
      feeds_.push_back(by_name(sample.feeds, measured_.take_selected(floats_.back())));
      return true;
    });
    if (feeds_.empty() && !context.is_cancelled()) throw Error("there is no sample to measure on");
    find_layers();
  }

  /// Incomplete if the call is cancelled.
  ChosenBitWidths run(ActivationDTypes& dtypes) {
    ChosenBitWidths result{.budget = budget_};
    if (cost(fewest()) > budget_.at_most) throw too_much().field("at_most");
    measure();
    if (progress_.is_cancelled()) return result;
    BitWidths chosen = least_noise().value_or(fewest());
    result.noise = noise(chosen, dtypes);
    result.uniform_noise = std::numeric_limits<double>::infinity();
    for (const BitWidths& uniform : uniform_widths()) {
      const double found = noise(uniform, dtypes);
      if (progress_.is_cancelled()) return result;
      result.uniform_noise = std::min(result.uniform_noise, found);
      if (found >= result.noise) continue;
      result.noise = found;
      chosen = uniform;
    }
    result.cost = cost(chosen);
    result.fixed_cost = cost(chosen, true);
    dtypes = dtypes_of(chosen, std::move(dtypes));
    list(chosen, result);
    return result;
  }

 private:
  Model copied() const {
    Model copy = graph_.model().clone();
    measured_.add_to(copy.graph());
    return copy;
  }

  /// The layers of the copy that the passes quantize with all bits, and the pairs in front of them.
  void find_layers() {
    Model quantized = copied();
    Context context = context_;
    quantize_(forms_).run(quantized, context);
    infer_shapes(quantized.graph(), context_.infer_options());
    const ActivationDTypes given = context_.facts.value_or_default<ActivationDTypes>();
    const TypicalSizes sizes(quantized.graph(), context_);
    std::unordered_map<std::string_view, const Node*> floats;
    for (const Node& node : graph_.nodes())
      if (!node.name().empty()) floats.emplace(node.name(), &node);
    std::map<std::string, std::size_t> places;
    for (const Node& node : quantized.graph().nodes()) {
      const Value* const stored = stored_weight(node);
      if (stored == nullptr) continue;
      WidthLayer& added = layers_.emplace_back(WidthLayer{
          .name = display_name(node),
          .products = elements_of(node.output(0)->shape()) * products_of(node),
          .weights = elements_of(stored->shape()),
          .bits = {{static_cast<int>(bits(stored->dtype())), 0}}});
      const auto place = floats.find(node.name());
      if (place != floats.end() && stored != node.input(1) && is_quantized_here(*place->second)) {
        added.bits = widths_up_to(forms_.of(*place->second).bits_of(*place->second, target_));
        added.is_fixed = false;
      }
      const auto [tensor, q] = quantized_input(node);
      const std::string key = tensor.empty() ? " " + added.name : tensor;
      const auto [group, is_new] = places.try_emplace(key, groups_.size());
      if (is_new) {
        groups_.push_back({.tensor = tensor});
        const auto own = given.bits.find(tensor);
        const int most = own != given.bits.end() ? own->second : static_cast<int>(bits(q.dtype));
        const bool is_fixed = budget_.cost == BitCost::bytes || q.is_float8() || most > 8 || has_own_pair(tensor);
        if (tensor.empty()) groups_.back().bits = {{32, 0}};
        else if (is_fixed) groups_.back().bits = {{most, 0}};
        else groups_.back().bits = widths_up_to(most);
        qparams_.push_back(q);
      }
      groups_[group->second].layers.push_back(layers_.size() - 1);
    }
    if (std::ranges::all_of(layers_, &WidthLayer::is_fixed))
      throw Error("the model has no layer with a quantized weight");
  }

  static bool has_layer_weight(const Node& node) {
    return (node.is("Conv") || node.is("ConvTranspose") || node.is("Gemm") || node.is("MatMul")) &&
           node.input_count() > 1 && node.input(1) != nullptr;
  }
  /// The constant weight as the graph stores it; nullptr if the node has none.
  static const Value* stored_weight(const Node& node) {
    if (!has_layer_weight(node)) return nullptr;
    const Node* const producer = node.input(1)->producer();
    const Value* const stored = producer != nullptr && is_dequantize(*producer) ? producer->input(0) : node.input(1);
    return stored->is_constant() ? stored : nullptr;
  }
  /// Whether the passes make integers of the weight of this float node.
  bool is_quantized_here(const Node& layer) const {
    return has_layer_weight(layer) && layer.input(1)->is_constant() && layer.input(1)->dtype() == DType::f32 &&
           is_integer(weight_dtype(layer, target_));
  }
  static std::vector<MeasuredBits> widths_up_to(int most) {
    std::vector<MeasuredBits> widths;
    for (int bits = 2; bits <= most; ++bits) widths.push_back({bits, 0});
    return widths;
  }

  /// The float tensor that is quantized for the layer, and its q-params; "" if there is none.
  std::pair<std::string, QParams> quantized_input(const Node& layer) const {
    const Value* value = layer.input(0);
    const auto moves = [&](const Node& node) {
      const IntegerKernel* const kernel = integer_kernel(node, target_);
      return kernel != nullptr && kernel->form == KernelForm::passthrough;
    };
    while (value != nullptr && value->producer() != nullptr && !is_dequantize(*value->producer()) &&
           moves(*value->producer()))
      value = value->producer()->input(0);
    const Node* const dequantize = value != nullptr ? value->producer() : nullptr;
    const Node* const quantize =
        dequantize != nullptr && is_dequantize(*dequantize) ? paired_quantize(*dequantize) : nullptr;
    const std::optional<QParams> q = quantize != nullptr ? qparams_of(*quantize) : std::nullopt;
    if (!q) return {};
    for (const Value* const name : {quantize->input(0), dequantize->output(0)})
      if (const Value* const found = graph_.find(name->name()); found != nullptr && !found->is_constant())
        return {std::string(name->name()), *q};
    return {};
  }

  /// Whether the graph has a pair already, which the passes leave as it is.
  bool has_own_pair(const std::string& tensor) const {
    const Value* const value = graph_.find(tensor);
    return value != nullptr && dequantized(*value) != nullptr;
  }

  /// The noise of each tensor with each of its bits, in the order of the graph: each trial runs from its change on.
  void measure() {
    Model base = copied();
    const LiveValues live(base.graph());
    AnyExecutor unchanged = make_executor_(base.graph());
    std::map<std::string_view, Node*> nodes;
    for (Node& node : copy_.graph().nodes()) nodes.emplace(node.name(), &node);
    std::map<std::string_view, std::size_t> places;
    for (const Node& node : base.graph().nodes()) places.emplace(node.name(), live.place_of(node));
    struct Trial {
      std::size_t place, index;
      bool is_weight;
    };
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (layers_[i].bits.size() > 1) trials.push_back({places.at(layers_[i].name), i, true});
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].bits.size() == 1) continue;
      const Node* const producer = base.graph().find(groups_[g].tensor)->producer();
      trials.push_back({producer != nullptr ? live.place_of(*producer) + 1 : 0, g, false});
    }
    const auto order = [](const Trial& trial) { return std::tuple(trial.place, trial.is_weight, trial.index); };
    std::ranges::sort(trials, {}, order);
    Frontier here(feeds_);
    std::size_t done = 0;
    for (const Trial& trial : trials) {
      here.advance(base.graph(), live, unchanged, trial.place);
      std::vector<MeasuredBits>& widths = trial.is_weight ? layers_[trial.index].bits : groups_[trial.index].bits;
      for (MeasuredBits& width : widths) {
        if (progress_.is_cancelled()) return;
        const Transaction undone(copy_.graph());
        if (trial.is_weight) round_weight(*nodes.at(layers_[trial.index].name), width.bits);
        else round_tensor(groups_[trial.index].tensor, qparams_[trial.index], width.bits);
        const Fetches outputs = measured_.in_copy(copy_.graph());
        width.noise = mean_noise(false, copy_.graph(), [&](std::size_t i, AnyExecutor& executor) {
          return here.run(i, copy_.graph(), executor, outputs);
        });
      }
      progress_.report_progress(Progress{"choose_bit_widths", ++done, trials.size()});
    }
  }

  void round_weight(Node& node, int bits) const {
    WeightForm form = forms_.of(node);
    form.bits = bits;
    const QuantizedTensor weight = quantized_weight(node, form, target_);
    const std::string name(node.input(1)->name());
    replace_constant(node, 1, Tensor::of<float>(weight.data.dims(), weight.values()), name);
  }
  void round_tensor(const std::string& tensor, const QParams& q, int bits) {
    insert_pair(*copy_.graph().find(tensor), q, [](const Use& use) { return !is_own_output(use); }, bits);
  }

  bool is_held_out(std::size_t sample) const { return feeds_.size() >= 4 && sample % 4 == 3; }

  /// Over the samples that decide, or over those that are held out; over all if there are less than 4. run(i, executor)
  /// returns the outputs of sample i. Each thread has an executor of the graph.
  template <class Run>
  double mean_noise(bool of_held_out, const Graph& graph, const Run& run) const {
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < feeds_.size(); ++i)
      if (feeds_.size() < 4 || is_held_out(i) == of_held_out) samples.push_back(i);
    std::vector<AnyExecutor> executors;
    while (executors.size() < std::clamp<std::size_t>(context_.threads, 1, samples.size()))
      executors.push_back(make_executor_(graph));
    std::vector<double> shares(samples.size());
    for_each_part(&parallel_, static_cast<std::int64_t>(executors.size()), [&](std::int64_t thread) {
      const auto first = static_cast<std::size_t>(thread);
      for (std::size_t i = first; i < samples.size(); i += executors.size())
        shares[i] = noise_share(floats_[samples[i]], run(samples[i], executors[first]));
    });
    return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(samples.size());
  }

  /// Of the model that is quantized with these bits, on the held-out samples.
  double noise(const BitWidths& widths, const ActivationDTypes& dtypes) const {
    Model model = copied();
    Context context = context_;
    context.facts.provide(dtypes_of(widths, dtypes));
    ChosenBitWidths chosen;
    list(widths, chosen);
    quantize_(chosen.weights(forms_)).run(model, context);
    const Fetches outputs = measured_.in_copy(model.graph());
    return mean_noise(true, model.graph(), [&](std::size_t i, AnyExecutor& executor) {
      Feeds feeds;
      for (const auto& [name, tensor] : feeds_[i])
        if (const Value* const value = model.graph().find(name.name())) feeds.emplace_back(value, tensor);
      return executor.run(feeds, outputs);
    });
  }

  ActivationDTypes dtypes_of(const BitWidths& widths, ActivationDTypes dtypes) const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (groups_[g].bits.size() > 1) dtypes.bits.insert_or_assign(groups_[g].tensor, widths.of_groups[g]);
    return dtypes;
  }

  /// Lists the layers with these bits, in the order of the graph.
  void list(const BitWidths& widths, ChosenBitWidths& result) const {
    std::vector<std::size_t> group_of(layers_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const std::size_t i : groups_[g].layers) group_of[i] = g;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::size_t g = group_of[i];
      std::vector<ChosenBitWidths::Layer>& layers = layers_[i].is_fixed ? result.fixed : result.layers;
      layers.push_back({layers_[i].name, groups_[g].tensor, widths.of_layers[i], widths.of_groups[g]});
    }
  }

  double cost(const WidthLayer& layer, int of_weight, int of_input) const {
    if (budget_.cost == BitCost::bytes) return layer.weights * of_weight / 8;
    return layer.products * of_weight * of_input;
  }
  double cost(const BitWidths& widths, bool of_fixed_alone = false) const {
    double sum = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const std::size_t i : groups_[g].layers)
        if (layers_[i].is_fixed || !of_fixed_alone)
          sum += cost(layers_[i], widths.of_layers[i], widths.of_groups[g]);
    return sum;
  }
  BitWidths fewest() const {
    BitWidths widths;
    for (const WidthLayer& layer : layers_) widths.of_layers.push_back(layer.bits.front().bits);
    for (const WidthGroup& group : groups_) widths.of_groups.push_back(group.bits.front().bits);
    return widths;
  }
  Error too_much() const {
    std::string why = "even the fewest bits cost " + shortest_decimal(cost(fewest()));
    std::vector<std::string> fixed;
    for (const WidthLayer& layer : layers_)
      if (layer.is_fixed) fixed.push_back("'" + layer.name + "'");
    if (fixed.empty()) return Error(why);
    constexpr std::size_t most = 5;
    why += ", " + shortest_decimal(cost(fewest(), true)) +
           " of it for layers with fixed bits, as those in float have: ";
    for (std::size_t i = 0; i < std::min(fixed.size(), most); ++i) why += (i == 0 ? "" : ", ") + fixed[i];
    return Error(fixed.size() > most ? why + " and " + std::to_string(fixed.size() - most) + " more" : why);
  }

  /// An item of the knapsack is a group, and a choice of it the bits of its tensor and of the weights of its layers.
  std::optional<BitWidths> least_noise() const {
    struct Choice {
      std::size_t bits;
      std::vector<std::size_t> of_layers;
    };
    std::vector<std::vector<Choice>> choices;
    std::vector<std::vector<KnapsackChoice>> items;
    for (const WidthGroup& group : groups_) {
      choices.emplace_back();
      items.emplace_back();
      for (std::size_t a = 0; a < group.bits.size(); ++a) {
        std::vector<std::vector<KnapsackChoice>> layers;
        for (const std::size_t i : group.layers) {
          layers.emplace_back();
          for (const MeasuredBits& width : layers_[i].bits)
            layers.back().push_back({cost(layers_[i], width.bits, group.bits[a].bits), width.noise});
        }
        for (KnapsackFrontier::Point& point : knapsack_frontier(layers, budget_.at_most, 64).points) {
          items.back().push_back({point.cost, point.loss + group.bits[a].noise});
          choices.back().push_back({a, std::move(point.chosen)});
        }
      }
    }
    const std::optional<std::vector<std::size_t>> best = solve_knapsack(items, budget_.at_most);
    if (!best) return std::nullopt;
    BitWidths widths{std::vector<int>(layers_.size()), std::vector<int>(groups_.size())};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Choice& choice = choices[g][(*best)[g]];
      widths.of_groups[g] = groups_[g].bits[choice.bits].bits;
      for (std::size_t i = 0; i < choice.of_layers.size(); ++i) {
        const std::size_t layer = groups_[g].layers[i];
        widths.of_layers[layer] = layers_[layer].bits[choice.of_layers[i]].bits;
      }
    }
    return widths;
  }

  /// For each number of bits of activations the most bits of weights that the budget has room for.
  std::vector<BitWidths> uniform_widths() const {
    std::vector<BitWidths> all;
    for (int of_inputs = 8; of_inputs >= 2; --of_inputs)
      for (int of_weights = 8; of_weights >= 2; --of_weights) {
        BitWidths uniform;
        const auto nearest = [](const std::vector<MeasuredBits>& widths, int bits) {
          return widths.size() == 1 ? widths[0].bits : std::min(bits, widths.back().bits);
        };
        for (const WidthLayer& layer : layers_) uniform.of_layers.push_back(nearest(layer.bits, of_weights));
        for (const WidthGroup& group : groups_) uniform.of_groups.push_back(nearest(group.bits, of_inputs));
        if (cost(uniform) > budget_.at_most) continue;
        const auto is_it = [&](const BitWidths& known) {
          return known.of_layers == uniform.of_layers && known.of_groups == uniform.of_groups;
        };
        if (std::ranges::none_of(all, is_it)) all.push_back(std::move(uniform));
        break;
      }
    return all;
  }

  Graph& graph_;
  const std::function<Pass(const WeightForms&)>& quantize_;
  const WeightForms& forms_;
  const Target& target_;
  const BitBudget& budget_;
  const ExecutorFactory& make_executor_;
  Context context_;
  const Context& progress_;
  ThreadPool pool_;
  ParallelFor parallel_;
  MeasuredOutputs measured_;
  Model copy_;  // in which one tensor at a time is rounded
  std::vector<std::vector<Tensor>> floats_;
  std::vector<Feeds> feeds_;
  std::vector<WidthLayer> layers_;
  std::vector<WidthGroup> groups_;
  std::vector<QParams> qparams_;  // of the tensors of groups
};

}  // namespace detail

GRAFT_INLINE WeightForms ChosenBitWidths::weights(const WeightForms& forms) const {
  std::map<std::string, int, std::less<>> bits;
  for (const Layer& layer : layers) bits.emplace(layer.name, layer.weight_bits);
  return forms.with_bits(std::move(bits));
}

GRAFT_INLINE std::string to_string(const ChosenBitWidths& chosen) {
  const auto span = [&](int ChosenBitWidths::Layer::*bits) {
    const auto [least, most] = std::ranges::minmax_element(chosen.layers, {}, bits);
    const std::string low = std::to_string((*least).*bits), high = std::to_string((*most).*bits);
    return low == high ? low + " bits" : low + " to " + high + " bits";
  };
  if (chosen.layers.empty()) return "no layer";
  return "weights of " + span(&ChosenBitWidths::Layer::weight_bits) + ", activations of " +
         span(&ChosenBitWidths::Layer::activation_bits) + ": " + shortest_decimal(chosen.cost) + " of " +
         shortest_decimal(chosen.budget.at_most) +
         (chosen.budget.cost == BitCost::bytes ? " bytes" : " bit operations") +
         (chosen.fixed.empty() ? ""
                               : ", " + shortest_decimal(chosen.fixed_cost) + " of these for " +
                                     std::to_string(chosen.fixed.size()) +
                                     (chosen.fixed.size() == 1 ? " layer" : " layers") + " with fixed bits") +
         ", noise " +
         shortest_decimal(static_cast<float>(chosen.noise)) + ", " +
         shortest_decimal(static_cast<float>(chosen.uniform_noise)) + " with uniform bits";
}

GRAFT_INLINE Pass choose_bit_widths(std::function<Pass(const WeightForms&)> quantize, SampleSource samples,
                                    WeightForms forms, const Target& target, BitBudget budget,
                                    ExecutorFactory make_executor) {
  const Pass tried = quantize(forms);
  const auto run = [quantize = std::move(quantize), samples = std::move(samples), forms = std::move(forms), target,
                    budget, make_executor = std::move(make_executor)](Graph& graph, Context& context) {
    Report report;
    ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
    ChosenBitWidths chosen =
        detail::BitWidthSearch(graph, quantize, samples, forms, target, budget, make_executor, context).run(dtypes);
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    for (const ChosenBitWidths::Layer& layer : chosen.fixed)
      report.notes.push_back("'" + layer.name + "' keeps " + std::to_string(layer.weight_bits) +
                             " bits of its weight, beside " + std::to_string(layer.activation_bits) +
                             " of its input");
    report.notes.push_back(to_string(chosen));
    context.facts.provide(std::move(dtypes));
    context.facts.provide(std::move(chosen));
    return report;
  };
  return detail::needing(
      pass("choose_bit_widths", run).provides<ActivationDTypes>().provides<ChosenBitWidths>().preserves_all(), tried);
}

}  // namespace graft::inline v1
