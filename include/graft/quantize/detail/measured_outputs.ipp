#pragma once
#include <graft/quantize/detail/measured_outputs.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// Whether results depend on how its scores compare: which of them there are, or in which order.
inline bool selects(const Node& node) {
  return node.is("NonMaxSuppression") || node.is("NonZero") || node.is("Unique") || node.is("Compress") ||
         node.is("TopK");
}

/// Whether it is a product by a constant, which may be dequantized.
inline bool is_product_by_constant(const Node& node) {
  const bool is_product = node.is("Conv") || node.is("ConvTranspose") || node.is("Gemm") || node.is("MatMul") ||
                          node.is("ConvInteger") || node.is("MatMulInteger") || node.is("LSTM") || node.is("GRU") ||
                          node.is("RNN") || node.is("com.microsoft::MatMulNBits");
  if (!is_product || node.input_count() < 2 || node.input(1) == nullptr) return false;
  const Node* const maker = node.input(1)->producer();
  const Value* const weight = maker != nullptr && is_dequantize(*maker) ? maker->input(0) : node.input(1);
  return weight->is_constant();
}

/// Whether it makes integers or truth values of floats.
inline bool gives_integers(const Node& node) {
  if (node.is("Cast")) return !is_float(static_cast<DType>(node.attr<std::int64_t>("to").value_or(0)));
  static constexpr std::array<std::string_view, 10> ops{"ArgMax", "ArgMin", "Equal", "Greater",     "GreaterOrEqual",
                                                        "IsInf",  "IsNaN",  "Less",  "LessOrEqual", "QuantizeLinear"};
  return node.domain().empty() && std::ranges::find(ops, node.op_type()) != ops.end();
}

/// What quantization may do to the values of a graph, from the inputs on.
class Inexact {
 public:
  explicit Inexact(const Graph& graph) : graph_(graph) {
    for (const Value* const input : graph.inputs())
      if (!input->is_constant() && graft::is_float(input->dtype())) values_.emplace(input, How{.is_float = true});
    for (const Node& node : graph.nodes()) add(node);
  }

  bool is_inexact(const Value& value) const { return values_.contains(&value); }
  /// Whether it is computed from what an operator selects, with no product by a constant in between.
  bool is_selected(const Value& value) const {
    const auto found = values_.find(&value);
    return found != values_.end() && found->second.is_selected && !found->second.is_behind_product;
  }
  /// Whether it has floats, by its dtype or, where a pass has left that open, by what makes it.
  bool is_float(const Value& value) const {
    const auto found = values_.find(&value);
    return found != values_.end() && found->second.is_float;
  }
  /// What the node reads, and what its bodies read of the graph.
  std::vector<const Value*> inputs(const Node& node) const {
    std::vector<const Value*> all;
    const auto collect = [&](const Node& reader) {
      for (const Value* const input : reader.inputs())
        if (input != nullptr && &input->graph() == &graph_) all.push_back(input);
    };
    collect(node);
    for_each_inside(node, collect);
    return all;
  }

 private:
  struct How {
    bool is_selected = false, is_behind_product = false, is_float = false;  // behind one that is behind a selection
  };

  /// f(node) for each node in the bodies of a node.
  template <class Function>
  static void for_each_inside(const Node& node, const Function& f) {
    std::vector<const Graph*> scopes;
    for (const Body& body : node.bodies()) scopes.push_back(body.graph);
    while (!scopes.empty()) {
      const Graph& scope = *scopes.back();
      scopes.pop_back();
      for (const Node& inside : scope.nodes()) {
        f(inside);
        for (const Body& body : inside.bodies()) scopes.push_back(body.graph);
      }
    }
  }

  void add(const Node& node) {
    if (node.is("Shape") || node.is("Size")) return;
    How how;
    bool is_inexact = is_product_by_constant(node), has_selection = selects(node), has_product = is_inexact;
    for_each_inside(node, [&](const Node& inside) {
      has_selection = has_selection || selects(inside);
      has_product = has_product || is_product_by_constant(inside);
    });
    for (const Value* const input : inputs(node)) {
      const auto found = values_.find(input);
      if (found == values_.end()) continue;
      is_inexact = true;
      how.is_float = how.is_float || (found->second.is_float && !(node.is("Where") && input == node.input(0)));
      how.is_selected = how.is_selected || found->second.is_selected;
      how.is_behind_product = how.is_behind_product || found->second.is_behind_product;
    }
    is_inexact = is_inexact || has_product;
    if (!is_inexact) return;
    how.is_float = (how.is_float || has_product || is_dequantize(node)) && !gives_integers(node);
    how.is_behind_product = how.is_behind_product || (how.is_selected && has_product);
    for (const Value& output : node.outputs()) {
      How of_output = how;
      const bool are_values = node.is("TopK") && &output == node.output(0);  // from the greatest on, whichever they are
      if (has_selection && !are_values) of_output.is_selected = true;
      if (output.dtype() != DType::undefined) of_output.is_float = graft::is_float(output.dtype());
      values_.emplace(&output, of_output);
    }
  }

  const Graph& graph_;
  std::unordered_map<const Value*, How> values_;
};

GRAFT_INLINE std::vector<const Value*> measured_values(const Graph& graph) {
  std::vector<const Value*> outputs;
  for (const Value* const output : graph.outputs())
    if (output->dtype() != DType::string) outputs.push_back(output);
  const auto may_select = [](const Node& node) { return selects(node) || !node.bodies().empty(); };
  if (std::ranges::none_of(graph.nodes(), may_select)) return outputs;

  const Inexact inexact(graph);
  const auto without_quantizers = [](const Value* value) {
    for (const Node* maker = value->producer(); maker != nullptr && (is_quantize(*maker) || is_dequantize(*maker));
         maker = value->producer())
      value = maker->input(0);
    return value;
  };
  std::vector<const Value*> measured;
  std::unordered_set<const Value*> seen;
  const auto measure_sources = [&](const Value& output) {
    std::vector<const Value*> todo{without_quantizers(&output)};
    while (!todo.empty()) {
      const Value* const value = todo.back();
      todo.pop_back();
      if (value->is_graph_input() || !inexact.is_inexact(*value) || !seen.insert(value).second) continue;
      if (!inexact.is_selected(*value) && inexact.is_float(*value)) {
        const Value* const behind = value->is_graph_output() ? nullptr : dequantized(*value);
        measured.push_back(behind != nullptr ? behind : value);
        continue;
      }
      std::vector<const Value*> inputs = inexact.inputs(*value->producer());
      for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) todo.push_back(without_quantizers(*input));
    }
  };
  for (const Value* const output : outputs) {
    if (inexact.is_selected(*output)) measure_sources(*output);
    else if (seen.insert(without_quantizers(output)).second) measured.push_back(output);
  }
  return measured.empty() ? outputs : measured;
}

GRAFT_INLINE Fetches measured_outputs(const Graph& graph) {
  const std::vector<const Value*> values = measured_values(graph);
  return Fetches(values.begin(), values.end());
}

}  // namespace graft::inline v1::detail
