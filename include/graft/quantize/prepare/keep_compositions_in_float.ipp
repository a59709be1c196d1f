#pragma once
#include <graft/quantize/prepare/keep_compositions_in_float.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/match.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/query.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/simplify/activation.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

namespace detail::compositions {

using rules::erf_form, rules::half_x_times, rules::normalization_form, vocabulary::unity;

using vocabulary::x, vocabulary::y;

using Nodes = std::unordered_set<const Node*>;

inline constexpr auto normalization = query<"normalization">(normalization_form());

inline constexpr auto erf_gelu = query<"erf-gelu">(erf_form());

/// The approximation of Hendrycks and Gimpel (2016).
inline constexpr auto tanh_gelu = query<"tanh-gelu">(half_x_times(comm<"Add">(op<"Tanh">(y), unity)));

/// The nodes that compute the value from its source and constants.
inline void add_between(const Node& root, const Value& source, Nodes& nodes) {
  std::vector<const Node*> left{&root};
  while (!left.empty()) {
    const Node& node = *left.back();
    left.pop_back();
    if (!node.is_any_of({"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Reciprocal", "Erf", "Tanh", "ReduceMean"}))
      continue;
    if (!nodes.insert(&node).second) continue;
    for (const Value* const input : node.inputs())
      if (input != nullptr && input != &source && input->producer() != nullptr) left.push_back(input->producer());
  }
}

/// Whether the node adds a constant.
inline bool is_bias(const Node& node) {
  return node.is("Add") && node.input(0) != nullptr && node.input(1) != nullptr &&
         (node.input(0)->is_constant() || node.input(1)->is_constant());
}

/// The bias in front of a Gelu.
inline void add_bias(const Value& biased, Nodes& nodes) {
  const auto uses = biased.uses();
  const auto is_inside = [&](const Use& use) { return !use.is_graph_output() && nodes.contains(use.user()); };
  if (biased.producer() != nullptr && is_bias(*biased.producer()) && std::all_of(uses.begin(), uses.end(), is_inside))
    nodes.insert(biased.producer());
}

/// The sum in front of a normalization, and the biases of its operands.
inline void add_sum(const Value& summed, Nodes& nodes) {
  const Node* const sum = summed.producer();
  if (sum == nullptr || !sum->is("Add")) return;
  nodes.insert(sum);
  for (const Value* const input : sum->inputs())
    if (input != nullptr && input->use_count() == 1 && input->producer() != nullptr && is_bias(*input->producer()))
      nodes.insert(input->producer());
}

/// The scale and mask in front of a Softmax.
inline void add_scores(const Value& scores, Nodes& nodes) {
  std::vector<const Value*> left{&scores};
  while (!left.empty()) {
    const Value* const value = left.back();
    left.pop_back();
    const Node* const producer = value != nullptr && value->use_count() == 1 ? value->producer() : nullptr;
    if (producer == nullptr || !producer->is_any_of({"Add", "Sub", "Mul", "Div", "Where"})) continue;
    nodes.insert(producer);
    for (const Value* const input : producer->inputs()) left.push_back(input);
  }
}

/// A Softmax whose result a MatMul reads.
inline void add_attention(const Node& node, Nodes& nodes) {
  const auto is_product = [](const Use& use) { return !use.is_graph_output() && use.user()->is("MatMul"); };
  if (!node.is("Softmax") || node.output_count() == 0 || node.input(0) == nullptr) return;
  const auto uses = node.output(0)->uses();
  if (std::none_of(uses.begin(), uses.end(), is_product)) return;
  nodes.insert(&node);
  add_scores(*node.input(0), nodes);
}

/// Includes the nodes of before(x, nodes).
template <class Query>
void add_matches(const Query& wanted, Graph& graph, void (*before)(const Value&, Nodes&), Nodes& nodes) {
  for (const auto& match : find_all(wanted, graph)) {
    add_between(match.root(), match[x], nodes);
    before(match[x], nodes);
  }
}

inline void add_named(const Node& node, Nodes& nodes) {
  if (node.input_count() == 0 || node.input(0) == nullptr) return;
  if (node.is("LayerNormalization")) add_sum(*node.input(0), nodes);
  if (!node.is_any_of({"Gelu", "com.microsoft::Gelu"})) return;
  nodes.insert(&node);
  add_bias(*node.input(0), nodes);
}

}  // namespace detail::compositions

GRAFT_INLINE Pass keep_compositions_in_float() {
  const auto run = [](Graph& graph, Context& context) {
    namespace compositions = detail::compositions;
    compositions::Nodes nodes;
    compositions::add_matches(compositions::normalization, graph, compositions::add_sum, nodes);
    compositions::add_matches(compositions::erf_gelu, graph, compositions::add_bias, nodes);
    compositions::add_matches(compositions::tanh_gelu, graph, compositions::add_bias, nodes);
    for (const Node& node : graph.nodes()) {
      compositions::add_named(node, nodes);
      compositions::add_attention(node, nodes);
    }
    Report report;
    for (Node& node : graph.nodes())
      if (nodes.contains(&node))
        detail::keep(node, "runtimes fuse it with other nodes in float", context.facts, report);
    return report;
  };
  return pass("keep_compositions_in_float", run).provides<KeptInFloat>().preserves_all();
}

}  // namespace graft::inline v1
