#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/operator_facts.hpp>

namespace graft::inline v1::detail {

/// Tensors that are computed from shapes only, or from which shapes, scales, sizes and axes are computed, including the
/// roi of Resize. Quantized, they would give other shapes. Only lists of numbers count: a tensor that is known to have
/// more axes is data, and so are results of reductions and products. Visits every node and edge twice.
class ShapeValues {
 public:
  explicit ShapeValues(const Graph& graph) {
    std::vector<const Node*> nodes;
    for (const Node& node : graph.nodes()) {
      nodes.push_back(&node);
      if (node.is("Shape") || node.is("Size") || is_of_shapes(node)) mark_results(node);
    }
    for (auto place = nodes.rbegin(); place != nodes.rend(); ++place) {
      const Node& node = **place;
      if (summarizes(node)) continue;
      const OperatorFacts facts = facts_of(node);
      const auto& outputs = node.outputs();
      const bool makes_shapes =
          std::any_of(outputs.begin(), outputs.end(), [&](const Value& output) { return contains(output); });
      for (std::size_t i = 0; i < node.input_count(); ++i)
        if (makes_shapes || facts.takes_shape(i)) mark(node.input(i));
    }
  }

  bool contains(const Value& value) const { return values_.contains(&value); }

 private:
  /// Whether the inputs are data of any shape although the outputs are shapes.
  static bool summarizes(const Node& node) {
    const std::string_view op = node.op_type();
    constexpr std::array<std::string_view, 8> others{"Shape",  "Size", "NonZero", "ArgMax",
                                                     "ArgMin", "Conv", "Gemm",    "MatMul"};
    return std::find(others.begin(), others.end(), op) != others.end() ||
           (op.starts_with("Reduce") && op != "ReduceProd");
  }

  /// Whether the inputs are constant or computed from shapes.
  bool is_of_shapes(const Node& node) const {
    if (facts_of(node).takes_shape(0)) return false;
    bool any = false;
    for (const Value* const input : node.inputs()) {
      if (input == nullptr || input->is_constant()) continue;
      if (!contains(*input)) return false;
      any = true;
    }
    return any;
  }

  void mark(const Value* value) {
    if (value == nullptr || value->is_constant()) return;
    if (!value->shape().known() || value->shape().rank() <= 1) values_.insert(value);
  }
  void mark_results(const Node& node) {
    for (const Value& output : node.outputs()) mark(&output);
  }

  std::unordered_set<const Value*> values_;
};

}  // namespace graft::inline v1::detail
