#pragma once
#include <graft/quantize/detail/measured_outputs.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/tested_for_nan.hpp>

namespace graft::inline v1::detail {

/// Whether comparisons of scores decide the number or the order of the result's elements.
inline bool selects(const Node& node) {
  return node.is("NonMaxSuppression") || node.is("NonZero") || node.is("Unique") || node.is("Compress") ||
         node.is("TopK");
}

/// Whether the node multiplies by a constant, which may be dequantized.
inline bool is_product_by_constant(const Node& node) {
  const auto is_constant = [&](std::size_t i) {
    const Value* const input = i < node.input_count() ? node.input(i) : nullptr;
    const Node* const maker = input == nullptr ? nullptr : input->producer();
    const Value* const weight = maker != nullptr && is_dequantize(*maker) ? maker->input(0) : input;
    return weight != nullptr && weight->is_constant();
  };
  if (node.is("MatMul") || node.is("Gemm")) return is_constant(0) || is_constant(1);
  if (node.is("Conv") || node.is("ConvTranspose") || node.is("MatMulInteger") || node.is("ConvInteger") ||
      node.is("LSTM") || node.is("GRU") || node.is("RNN") || node.is("com.microsoft::MatMulNBits"))
    return is_constant(1);
  return false;
}

/// The values that decide which rows a node selects: its indices, or the condition that it reads.
inline std::vector<const Value*> selection_of(const Node& node) {
  std::vector<const Value*> values;
  if (node.is("Compress")) {
    values.push_back(node.input(1));
  } else if (selects(node)) {
    for (std::size_t i = node.is("TopK") ? 1 : 0; i < node.output_count(); ++i) values.push_back(node.output(i));
  }
  std::erase_if(values, [](const Value* value) { return value == nullptr || value->name().empty(); });
  return values;
}

/// Whether the first indices of a TopK are the classes that OutputFidelity counts.
inline bool ranks_classes(const Node& node) {
  const Shape shape = node.input(0)->shape();
  if (!node.is("TopK") || !shape.known() || shape.rank() == 0) return false;
  const std::int64_t axis = node.attr<std::int64_t>("axis").value_or(-1);
  return node.attr<std::int64_t>("largest").value_or(1) == 1 &&
         infer::normalized(axis, shape.rank()) == class_axis(shape.rank());
}

/// The dependencies of the values of a main graph.
class Dependences {
 public:
  explicit Dependences(const Graph& graph) : graph_(graph) {
    for (const Value* const input : graph.inputs())
      if (!input->is_constant() && is_float(input->dtype())) values_.emplace(input, Dependence());
    for (const Node& node : graph.nodes()) add(node);
  }

  /// Whether quantization may change the value.
  bool is_inexact(const Value& value) const { return values_.contains(&value); }
  /// Whether the value depends on a selection.
  bool is_behind_selection(const Value& value) const { return of(value).on_selection; }
  /// Whether it does, without a product by a constant between.
  bool is_selected(const Value& value) const { return of(value).on_selection && !of(value).on_product_behind; }
  /// Whether one of these selections is in a body.
  bool is_behind_body(const Value& value) const { return of(value).on_selection_in_body; }
  /// The inputs of the node, and the values of the graph that its bodies read.
  std::vector<const Value*> inputs(const Node& node) const { return inputs(node, bodies(node)); }

 private:
  struct Dependence {
    bool on_selection = false, on_selection_in_body = false, on_product_behind = false;
  };

  Dependence of(const Value& value) const {
    const auto found = values_.find(&value);
    return found != values_.end() ? found->second : Dependence();
  }

  /// The selections of the node, and those in its bodies.
  static std::vector<const Graph*> bodies(const Node& node) {
    std::vector<const Graph*> all;
    for (const Body& body : node.bodies()) all.push_back(body.graph);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const Node& inside : all[i]->nodes())
        for (const Body& body : inside.bodies()) all.push_back(body.graph);
    return all;
  }

  std::vector<const Value*> inputs(const Node& node, const std::vector<const Graph*>& bodies) const {
    std::vector<const Value*> all;
    const auto collect = [&](const Value* value) {
      if (value != nullptr && &value->graph() == &graph_) all.push_back(value);
    };
    std::ranges::for_each(node.inputs(), collect);
    for (const Graph* const body : bodies) {
      for (const Node& inside : body->nodes()) std::ranges::for_each(inside.inputs(), collect);
      std::ranges::for_each(body->outputs(), collect);
    }
    return all;
  }

  void add(const Node& node) {
    const std::vector<const Graph*> inner = bodies(node);
    const bool has_fixed_condition = node.is("Compress") && (node.input(1) == nullptr || !is_inexact(*node.input(1)));
    bool has_selection = selects(node) && !has_fixed_condition, has_product = is_product_by_constant(node);
    bool in_body = false;
    for (const Graph* const body : inner) {
      in_body = in_body || std::ranges::any_of(body->nodes(), selects);
      has_product = has_product || std::ranges::any_of(body->nodes(), is_product_by_constant);
    }
    has_selection = has_selection || in_body;
    bool is_inexact = has_product;
    Dependence found;
    for (const Value* const input : inputs(node, inner)) {
      const auto known = values_.find(input);
      if (known == values_.end()) continue;
      is_inexact = true;
      found.on_selection = found.on_selection || known->second.on_selection;
      found.on_selection_in_body = found.on_selection_in_body || known->second.on_selection_in_body;
      found.on_product_behind = found.on_product_behind || known->second.on_product_behind;
    }
    const bool measures = node.is("Shape") || node.is("Size");
    if (!is_inexact || (measures && !found.on_selection)) return;
    found.on_product_behind =
        (found.on_product_behind && !has_selection) || (has_product && (found.on_selection || has_selection));
    found.on_selection_in_body = found.on_selection_in_body || in_body;
    for (const Value& output : node.outputs()) {
      Dependence own = found;
      const bool are_values = node.is("TopK") && &output == node.output(0);  // the greatest values, from any rows
      own.on_selection = own.on_selection || (has_selection && !are_values);
      values_.emplace(&output, own);
    }
  }

  const Graph& graph_;
  std::unordered_map<const Value*, Dependence> values_;
};

/// Finds the floats from which outputs are computed, for outputs that show too little.
class SourceSearch {
 public:
  struct Found {
    const Value* value;
    Decision decision;
  };

  explicit SourceSearch(const Dependences& dependences) : dependences_(dependences) {}

  /// The floats that decide an integer or a boolean, and those in front of each selection on which it depends.
  void search_from(const Value& output) {
    std::vector<Step> todo{
        {&output, is_float(output.dtype()) && !dependences_.is_selected(output), is_indices(output)}};
    while (!todo.empty()) {
      auto [value, is_compared, is_ranking] = todo.back();
      todo.pop_back();
      if (value->is_graph_input() || !dependences_.is_inexact(*value)) continue;
      bool& visited = visited_[value][(is_compared ? 2U : 0U) + (is_ranking ? 1U : 0U)];
      if (std::exchange(visited, true)) continue;
      if (dependences_.is_selected(*value)) {
        is_compared = false;
      } else if (is_float(value->dtype())) {
        if (!is_compared && !value->is_graph_output()) add(*value, is_ranking ? Decision::greatest : Decision::none);
        is_compared = true;
      }
      if (is_compared && !dependences_.is_behind_selection(*value)) continue;
      const Node& node = *value->producer();
      for (const Value* const input : dependences_.inputs(node))
        todo.push_back({input, is_compared, is_ranking && passes_ranking(node, *input)});
    }
  }

  const std::vector<Found>& found() const { return found_; }

 private:
  struct Step {
    const Value* value;
    bool is_compared;  ///< a float in front of the output, with the same rows, is compared already
    bool is_ranking;   ///< the output holds the indices of the selection, or ranks its classes
  };

  static bool is_indices(const Value& value) { return is_integer(value.dtype()); }
  static bool passes_ranking(const Node& node, const Value& input) {
    if (&input != node.input(0)) return false;
    return ranks_classes(node) || (is_indices(input) && (node.is("Cast") || moves_elements(node)));
  }

  void add(const Value& value, Decision decision) {
    const auto [place, is_new] = places_.try_emplace(&value, found_.size());
    if (is_new) found_.push_back({&value, decision});
    else if (decision == Decision::greatest) found_[place->second].decision = decision;
  }

  const Dependences& dependences_;
  std::vector<Found> found_;
  std::unordered_map<const Value*, std::size_t> places_;
  std::unordered_map<const Value*, std::array<bool, 4>> visited_;
};

GRAFT_INLINE MeasuredOutputs::MeasuredOutputs(const Graph& floats) : outputs_(floats.output_count()) {
  const Dependences dependences(floats);
  SourceSearch search(dependences);
  for (std::size_t i = 0; i < outputs_; ++i) {
    const Value& output = *floats.output(i);
    if (output.dtype() == DType::string) continue;
    if (!dependences.is_selected(output) || !dependences.is_behind_body(output)) places_.push_back(i);
    const bool is_integral = output.dtype() != DType::undefined && !is_float(output.dtype());
    if (is_integral || dependences.is_behind_selection(output)) search.search_from(output);
    decide_ = decide_ || is_integral;
  }
  if (places_.empty() && search.found().empty())  // there is nothing else to compare
    for (std::size_t i = 0; i < outputs_; ++i)
      if (floats.output(i)->dtype() != DType::string) places_.push_back(i);
  decisions_ = decisions_at(floats, places_);
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (dependences.is_selected(*floats.output(places_[i]))) decisions_[i] = Decision::none;
  for (const auto& [value, decision] : search.found()) {
    sources_.push_back({std::string(value->name()), value->dtype()});
    decisions_.push_back(decision);
  }
  decide_ = decide_ || std::ranges::any_of(decisions_, [](Decision one) { return one != Decision::none; });
  std::unordered_set<const Value*> fed;
  for (const Node& node : floats.nodes())
    for (const Value* const value : selection_of(node))
      if (dependences.is_inexact(*value) && !dependences.is_behind_body(*value) && fed.insert(value).second)
        selected_.emplace_back(value->name());
}

GRAFT_INLINE void MeasuredOutputs::add_to(Graph& copy) const {
  for (const auto& [name, dtype] : sources_) {
    Value* const source = copy.find(name);
    if (source == nullptr) throw Error("the copy lacks it").field(name);
    // An Identity fixes the name of the output, whatever passes do with the value. A Cast is not quantized.
    Node& probe = copy.insert("Cast", {source}, 1, {{"to", static_cast<std::int64_t>(dtype)}}, nullptr, name);
    copy.add_output(*probe.output(0));
  }
}

GRAFT_INLINE Fetches MeasuredOutputs::in_copy(const Graph& copy) const {
  Fetches fetches;
  for (const std::size_t place : places_) fetches.emplace_back(copy.output(place));
  for (std::size_t i = copy.output_count() - sources_.size(); i < copy.output_count(); ++i)
    fetches.emplace_back(copy.output(i));
  return fetches;
}

GRAFT_INLINE std::vector<const Value*> MeasuredOutputs::in_quantized(const Graph& quantized) const {
  if (quantized.output_count() != outputs_) throw Error("the graphs have different outputs");
  std::vector<const Value*> values;
  for (const std::size_t place : places_) values.push_back(quantized.output(place));
  for (const auto& [name, dtype] : sources_) {
    const Value* value = quantized.find(name);
    if (const Value* const behind = value != nullptr ? dequantized(*value) : nullptr) value = behind;
    const bool is_same =
        value != nullptr && !value->is_constant() && (value->dtype() == dtype || value->dtype() == DType::undefined);
    values.push_back(is_same ? value : nullptr);
  }
  return values;
}

GRAFT_INLINE Fetches MeasuredOutputs::in_floats(const Graph& floats) const {
  Fetches fetches;
  for (const std::size_t place : places_) fetches.emplace_back(floats.output(place));
  for (const Source& source : sources_) fetches.emplace_back(floats.find(source.name));
  for (const std::string& name : selected_) fetches.emplace_back(floats.find(name));
  return fetches;
}

GRAFT_INLINE Feeds MeasuredOutputs::take_selected(std::vector<Tensor>& outputs) const {
  Feeds selected;
  const std::size_t first = outputs.size() - selected_.size();
  for (std::size_t i = 0; i < selected_.size(); ++i) selected.emplace_back(selected_[i], std::move(outputs[first + i]));
  outputs.resize(first);
  return selected;
}

GRAFT_INLINE Feeds feeds_of_copy(const Graph& copy, const Feeds& inputs, const Feeds& selected) {
  Feeds feeds = by_name(inputs);
  for (const auto& [value, tensor] : selected)
    if (const Value* const same = copy.find(value.name()); same != nullptr && !same->is_constant())
      feeds.emplace_back(std::string(value.name()), tensor);
  return feeds;
}

}  // namespace graft::inline v1::detail
