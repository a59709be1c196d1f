#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/chosen_units.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/node_time.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/graph/min_cut.hpp>

namespace graft::inline v1::detail {

/// Selects the units whose integer kernels together gain most, less what the conversions at their border to float take.
/// That is a least cut: a unit that stays in float is parted from the source, at what its integer kernel would have
/// gained; where a tensor is parted from one of its readers it is converted, once for all of them.
///
/// A product that is not selected may still be computed in integers, of activations that are quantized as the model
/// runs. Then it gains as much, at the price of quantizing what it reads so, once for all that read it so. That is one
/// more vertex for each such tensor, on the source's side if it is left in float. Or its weight alone is in integers,
/// which takes no conversion: what it gains so over float, it need not gain in another form.
///
/// A node with a price gains that much less in integers.
class LeastCost {
 public:
  LeastCost(const std::vector<Unit>& units, const ActivationDTypes& dtypes, const Target& target,
            std::vector<DynamicInput> dynamic = {}, std::vector<BlockProduct> weight_only = {},
            const NodePrices& prices = {})
      : units_(units),
        dtypes_(dtypes),
        target_(target),
        dynamic_(std::move(dynamic)),
        weight_only_(std::move(weight_only)),
        prices_(prices) {
    for (const BlockProduct& product : weight_only_) weight_only_gains_.emplace(product.node, product.gain);
    for (const Unit& unit : units) {
      const Vertex vertex = cut_.add_vertex();
      vertices_.emplace(unit.node, vertex);
      unit.for_each_result([&](const Value& result) { makers_.emplace(&result, vertex); });
    }
    for (const DynamicInput& input : dynamic_) add(input);
    for (const Unit& unit : units) add(unit);
  }

  /// For each unit, whether it is selected. Of selections that gain the same, the smallest.
  std::vector<bool> least() {
    std::vector<bool> selected;
    for (std::size_t u = 0; u < units_.size(); ++u) selected.push_back(is_on_source_side(MinCut::sink + 1 + u));
    return selected;
  }

  /// The products that take least time with activations quantized as the model runs.
  std::vector<Node*> dynamic() {
    std::vector<Node*> nodes;
    for (std::size_t i = 0; i < dynamic_.size(); ++i) {
      if (is_on_source_side(in_float_[i])) continue;
      for (Node* const reader : dynamic_[i].readers)
        if (dynamic_gain(*reader) > 0 && !is_on_source_side(vertex_of(*reader))) nodes.push_back(reader);
    }
    return nodes;
  }

  /// Those that take least time of activations in float, by weights in integers.
  std::vector<Node*> weight_only() {
    const std::vector<Node*> dynamic_ones = dynamic();
    const std::unordered_set<const Node*> others(dynamic_ones.begin(), dynamic_ones.end());
    std::vector<Node*> nodes;
    for (const BlockProduct& product : weight_only_)
      if (!others.contains(product.node) && !is_on_source_side(vertex_of(*product.node))) nodes.push_back(product.node);
    return nodes;
  }

  /// Operators between selected units alone, too: a runtime computes them in integers whether that is faster or not.
  std::vector<bool> selected() {
    std::vector<bool> selected = least(), with_enclosed = selected;
    for (std::size_t u = 0; u < units_.size(); ++u) with_enclosed[u] = selected[u] || is_enclosed(units_[u], selected);
    return with_enclosed;
  }

  /// In nanoseconds, conversions aside; negative if the integer kernel is slower. 0 where there is none for the dtype.
  double gain(const Unit& unit) const {
    if (unknown_dtypes(unit)) return 0;
    return time_in_float(*unit.node, *unit.kernel) - time_in_integers(*unit.node, *unit.kernel);
  }

  /// Of a unit that is not selected, the code and the text.
  std::pair<std::string_view, std::string> reason_for_float(const Unit& unit) const {
    if (const auto dtypes = unknown_dtypes(unit)) return {"dtypes", "there is no integer kernel for " + *dtypes};
    if (gain(unit) <= 0) return {"slower", "its integer kernel is slower"};
    return {"conversions", "conversions would take more than its integer kernel gains"};
  }

 private:
  using Vertex = MinCut::Vertex;

  static std::int64_t capacity(double nanoseconds) {
    constexpr double most = 1e15;
    return static_cast<std::int64_t>(std::min(nanoseconds * 1000, most));
  }

  bool takes_weight(const IntegerKernel& kernel, DType activation) const {
    return kernel.takes(activation, kernel.weight_beside(activation, target_.weight));
  }
  /// Those of its tensors that its kernel does not take.
  std::optional<std::string> unknown_dtypes(const Unit& unit) const {
    std::optional<std::string> unknown;
    const bool has_weight = unit.kernel->form == KernelForm::weighted && unit.node->input(1)->is_constant();
    const auto check = [&](const Value& value) {
      const DType dtype = dtypes_.of(value, target_);
      if (!unit.kernel->takes(dtype)) {
        unknown = to_string(dtype);
      } else if (has_weight && &value == unit.node->input(0) && !takes_weight(*unit.kernel, dtype)) {
        unknown = std::string(to_string(dtype)) + " with weights of " + std::string(to_string(target_.weight));
      }
    };
    unit.for_each_operand([&](std::size_t i) {
      if (!unit.node->input(i)->is_constant()) check(*unit.node->input(i));
    });
    if (!unit.moves_values() && unit.kernel->output_dtypes.empty() && !unit.may_end_in_float) check(*unit.result);
    return unknown;
  }

  /// 0 where a weight in integers beside activations in float gains nothing.
  double weight_only_gain(const Node& node) const {
    const auto known = weight_only_gains_.find(&node);
    return known != weight_only_gains_.end() ? known->second : 0;
  }
  /// Of activations that are quantized as the model runs, over the best that needs no conversion.
  double dynamic_gain(const Node& node) const { return product_gain(node, target_) - weight_only_gain(node); }

  bool is_on_source_side(Vertex vertex) {
    if (side_.empty()) side_ = cut_.source_side();
    return side_[vertex];
  }

  /// What is not a unit stays in float.
  Vertex vertex_of(const Node& node) const {
    const auto place = vertices_.find(&node);
    return place != vertices_.end() ? place->second : MinCut::sink;
  }

  void add(const DynamicInput& input) {
    const Vertex in_float = in_float_.emplace_back(cut_.add_vertex());
    cut_.add_edge(MinCut::source, in_float, capacity(time_of(*input.x, target_.dynamic_quantize)));
    for (const Node* const reader : input.readers) {
      const double gained = dynamic_gain(*reader);
      if (!(gained > 0)) continue;
      cut_.add_edge(in_float, vertex_of(*reader), capacity(gained));
      gains_either_way_.insert(reader);
    }
  }

  void add(const Unit& unit) {
    const Vertex vertex = vertices_.at(unit.node);
    const double gained = (gains_either_way_.contains(unit.node) ? 0 : gain(unit) - weight_only_gain(*unit.node)) -
                          prices_.of(*unit.node);
    if (unknown_dtypes(unit)) {
      cut_.add_edge(vertex, MinCut::sink, MinCut::unlimited);
    } else if (gained > 0) {
      cut_.add_edge(MinCut::source, vertex, capacity(gained));
    } else {
      cut_.add_edge(vertex, MinCut::sink, capacity(-gained));
    }
    unit.for_each_operand([&](std::size_t i) { reads(vertex, *unit.node->input(i)); });
    for (const Value* const branch : unit.branches) reads(vertex, *branch);
    guard(unit, vertex);
    keep_together(unit, vertex);
    unit.for_each_result([&](const Value& result) { is_read(vertex, result, unit.may_end_in_float); });
  }

  /// A reader in integers needs its operand quantized, unless its maker is on the same side.
  void reads(Vertex reader, const Value& operand) {
    if (operand.is_constant() || is_dequantized(operand)) return;
    const auto [place, is_new] = quantized_.try_emplace(&operand, 0);
    if (is_new) {
      place->second = cut_.add_vertex();
      cut_.add_edge(place->second, maker_of(operand), capacity(conversion_time(operand, target_.quantize, target_)));
    }
    cut_.add_edge(reader, place->second, MinCut::unlimited);
  }

  /// What keeps a runtime from quantizing the weight of a product in float takes time where its input is dequantized,
  /// be it in front of what quantizers pass.
  void guard(const Unit& unit, Vertex vertex) {
    if (!unit.kernel->has(KernelQuirk::quantizes_constants)) return;
    const Vertex dequantized = cut_.add_vertex();
    for (const Value* x = unit.node->input(0); x != nullptr; x = passing_tensor(*x->producer())) {
      const auto maker = makers_.find(x);
      if (maker != makers_.end()) cut_.add_edge(maker->second, dequantized, MinCut::unlimited);
      if (is_dequantized(*x)) cut_.add_edge(MinCut::source, dequantized, MinCut::unlimited);
      if (x->producer() == nullptr || !lets_quantizers_pass(*x->producer(), target_)) break;
    }
    const KernelWork work = kernel_work(*unit.node, *unit.kernel);
    cut_.add_edge(dequantized, vertex, capacity(time_of(work, unit.kernel->guard_cost)));
  }

  /// In integers it may take more time if the maker of its operand is in float.
  void keep_together(const Unit& unit, Vertex vertex) {
    const std::int64_t more = capacity(time_apart(*unit.node, *unit.kernel));
    if (more == 0) return;
    cut_.add_edge(vertex, maker_of(*unit.node->input(unit.kernel->first_operand)), more);
  }

  /// The unit whose result a value is, be it behind what quantizers pass.
  Vertex maker_of(const Value& value) const {
    for (const Value* made = &value; made != nullptr; made = passing_tensor(*made->producer())) {
      if (const auto maker = makers_.find(made); maker != makers_.end()) return maker->second;
      if (made->producer() == nullptr || !lets_quantizers_pass(*made->producer(), target_)) break;
    }
    return MinCut::sink;
  }

  /// A reader in float needs the result dequantized; one that is not a unit always does.
  void is_read(Vertex maker, const Value& result, bool is_float_anyway) {
    if (is_float_anyway) return;
    const std::int64_t cost = capacity(conversion_time(result, target_.dequantize, target_));
    const Vertex dequantized = cut_.add_vertex();
    cut_.add_edge(maker, dequantized, cost);
    for (const Use& use : result.uses()) {
      cut_.add_edge(dequantized, use.is_graph_output() ? MinCut::sink : vertex_of(*use.user()), MinCut::unlimited);
    }
  }

  bool is_enclosed(const Unit& unit, const std::vector<bool>& selected) const {
    if (unit.kernel->form == KernelForm::weighted || unknown_dtypes(unit) || prices_.of(*unit.node) > 0) return false;
    bool enclosed = true;
    unit.for_each_operand([&](std::size_t i) {
      const auto maker = makers_.find(unit.node->input(i));
      enclosed = enclosed && maker != makers_.end() && selected[unit_of(maker->second)];
    });
    unit.for_each_result([&](const Value& result) {
      for (const Use& use : result.uses()) {
        const auto reader = use.is_graph_output() ? vertices_.end() : vertices_.find(use.user());
        enclosed = enclosed && reader != vertices_.end() && selected[unit_of(reader->second)];
      }
    });
    return enclosed;
  }

  /// The vertices of units come first, behind source and sink.
  static std::size_t unit_of(Vertex vertex) { return vertex - MinCut::sink - 1; }

  const std::vector<Unit>& units_;
  const ActivationDTypes& dtypes_;
  const Target& target_;
  const std::vector<DynamicInput> dynamic_;
  const std::vector<BlockProduct> weight_only_;
  const NodePrices prices_;
  std::unordered_map<const Node*, double> weight_only_gains_;
  MinCut cut_;
  std::vector<bool> side_;                            // of the source, once it is known
  std::vector<Vertex> in_float_;                      // of each dynamic input
  std::unordered_set<const Node*> gains_either_way_;  // products that are in integers on both sides, or may be
  std::unordered_map<const Node*, Vertex> vertices_;
  std::unordered_map<const Value*, Vertex> makers_;
  std::unordered_map<const Value*, Vertex> quantized_;
};

}  // namespace graft::inline v1::detail
