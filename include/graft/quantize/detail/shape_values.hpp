#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>

namespace graft::inline v1::detail {

/// An operator whose inputs from one index on are parameters, not data.
struct ShapeInputs {
  std::string_view op;
  std::size_t first, end;
};

inline constexpr std::array shape_inputs{
    ShapeInputs{"Reshape", 1, 2},         ShapeInputs{"Resize", 1, 4},    ShapeInputs{"Upsample", 1, 2},
    ShapeInputs{"Expand", 1, 2},          ShapeInputs{"Tile", 1, 2},      ShapeInputs{"Slice", 1, 5},
    ShapeInputs{"ConstantOfShape", 0, 1}, ShapeInputs{"TopK", 1, 2},      ShapeInputs{"Split", 1, 2},
    ShapeInputs{"Squeeze", 1, 2},         ShapeInputs{"Unsqueeze", 1, 2}, ShapeInputs{"Pad", 1, 2},
    ShapeInputs{"Range", 0, 3},           ShapeInputs{"OneHot", 1, 2},    ShapeInputs{"CenterCropPad", 1, 2}};

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
      const ShapeInputs* const entry = entry_of(node);
      const auto& outputs = node.outputs();
      const bool makes_shapes =
          std::any_of(outputs.begin(), outputs.end(), [&](const Value& output) { return contains(output); });
      for (std::size_t i = 0; i < node.input_count(); ++i)
        if (makes_shapes || (entry != nullptr && entry->first <= i && i < entry->end)) mark(node.input(i));
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
  static const ShapeInputs* entry_of(const Node& node) {
    const auto* const entry = std::find_if(shape_inputs.begin(), shape_inputs.end(),
                                           [&](const ShapeInputs& each) { return node.is(each.op); });
    return entry != shape_inputs.end() ? entry : nullptr;
  }

  /// Whether the inputs are constant or computed from shapes.
  bool is_of_shapes(const Node& node) const {
    if (const ShapeInputs* const entry = entry_of(node); entry != nullptr && entry->first == 0) return false;
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
