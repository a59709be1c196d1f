#pragma once
#include <graft/quantize/detail/measured_outputs.hpp>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// Whether results depend on how its scores compare: which of them there are, or in which order.
inline bool selects(const Node& node) {
  return node.is("NonMaxSuppression") || node.is("NonZero") || node.is("Unique") || node.is("Compress") ||
         node.is("TopK");
}

/// Whether it multiplies by a constant, which may be dequantized.
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

/// What the values of a main graph depend on.
class Dependences {
 public:
  explicit Dependences(const Graph& graph) : graph_(graph) {
    for (const Value* const input : graph.inputs())
      if (!input->is_constant() && is_float(input->dtype())) values_.emplace(input, Dependence());
    for (const Node& node : graph.nodes()) add(node);
  }

  /// Whether quantization may change the value.
  bool is_inexact(const Value& value) const { return values_.contains(&value); }
  /// Whether it depends on a selection that no product by a constant follows.
  bool is_selected(const Value& value) const {
    const auto found = values_.find(&value);
    return found != values_.end() && found->second.on_selection && !found->second.on_product_behind;
  }
  /// What the node reads, and what its bodies read of the graph.
  std::vector<const Value*> inputs(const Node& node) const {
    std::vector<const Value*> all;
    const auto collect = [&](const Value* value) {
      if (value != nullptr && &value->graph() == &graph_) all.push_back(value);
    };
    std::ranges::for_each(node.inputs(), collect);
    for (const Graph* const body : bodies(node)) {
      for (const Node& inside : body->nodes()) std::ranges::for_each(inside.inputs(), collect);
      std::ranges::for_each(body->outputs(), collect);
    }
    return all;
  }

 private:
  struct Dependence {
    bool on_selection = false, on_product_behind = false;
  };

  /// Those of the node, and those in them.
  static std::vector<const Graph*> bodies(const Node& node) {
    std::vector<const Graph*> all;
    for (const Body& body : node.bodies()) all.push_back(body.graph);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const Node& inside : all[i]->nodes())
        for (const Body& body : inside.bodies()) all.push_back(body.graph);
    return all;
  }

  void add(const Node& node) {
    bool has_selection = selects(node), has_product = is_product_by_constant(node);
    for (const Graph* const body : bodies(node)) {
      has_selection = has_selection || std::ranges::any_of(body->nodes(), selects);
      has_product = has_product || std::ranges::any_of(body->nodes(), is_product_by_constant);
    }
    bool is_inexact = has_product;
    Dependence found;
    for (const Value* const input : inputs(node)) {
      const auto known = values_.find(input);
      if (known == values_.end()) continue;
      is_inexact = true;
      found.on_selection = found.on_selection || known->second.on_selection;
      found.on_product_behind = found.on_product_behind || known->second.on_product_behind;
    }
    const bool measures = node.is("Shape") || node.is("Size");
    if (!is_inexact || (measures && !found.on_selection)) return;
    found.on_product_behind =
        (found.on_product_behind && !has_selection) || (has_product && (found.on_selection || has_selection));
    for (const Value& output : node.outputs()) {
      Dependence own = found;
      const bool are_values = node.is("TopK") && &output == node.output(0);  // from the greatest on, whichever they are
      own.on_selection = own.on_selection || (has_selection && !are_values);
      values_.emplace(&output, own);
    }
  }

  const Graph& graph_;
  std::unordered_map<const Value*, Dependence> values_;
};

GRAFT_INLINE MeasuredOutputs::MeasuredOutputs(const Graph& floats) {
  const Dependences dependences(floats);
  std::unordered_set<const Value*> visited;
  const auto add_sources = [&](const Value& output) {
    std::vector<const Value*> todo{&output};
    while (!todo.empty()) {
      const Value* const value = todo.back();
      todo.pop_back();
      if (value->is_graph_input() || !dependences.is_inexact(*value) || !visited.insert(value).second) continue;
      if (!dependences.is_selected(*value) && is_float(value->dtype())) {
        if (!value->is_graph_output()) sources_.push_back({std::string(value->name()), value->dtype()});
        continue;
      }
      for (const Value* const input : dependences.inputs(*value->producer())) todo.push_back(input);
    }
  };
  for (std::size_t i = 0; i < floats.output_count(); ++i) {
    const Value& output = *floats.output(i);
    if (output.dtype() == DType::string) continue;
    const bool is_selected = dependences.is_selected(output);
    if (!is_selected) places_.push_back(i);
    if (is_selected || (output.dtype() != DType::undefined && !is_float(output.dtype()))) add_sources(output);
  }
  if (!places_.empty() || !sources_.empty()) return;
  for (std::size_t i = 0; i < floats.output_count(); ++i)  // nothing else is known
    if (floats.output(i)->dtype() != DType::string) places_.push_back(i);
}

GRAFT_INLINE void MeasuredOutputs::add_to(Graph& copy) const {
  for (const auto& [name, dtype] : sources_) {
    Value* const source = copy.find(name);
    if (source == nullptr) throw Error("the copy lacks it").field(name);
    // An output is named for good, whatever passes make of the value. Nothing is quantized for a Cast.
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

GRAFT_INLINE Fetches MeasuredOutputs::in_floats(const Graph& floats) const {
  Fetches fetches;
  for (const std::size_t place : places_) fetches.emplace_back(floats.output(place));
  for (const Source& source : sources_) fetches.emplace_back(floats.find(source.name));
  return fetches;
}

GRAFT_INLINE Fetches outputs_but_strings(const Graph& graph) {
  Fetches fetches;
  for (const Value* const output : graph.outputs())
    if (output->dtype() != DType::string) fetches.emplace_back(output);
  return fetches;
}

}  // namespace graft::inline v1::detail
