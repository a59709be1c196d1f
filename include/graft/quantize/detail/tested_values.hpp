#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Tensors of which IsNaN or IsInf asks what elements are NaN or infinite, be it behind nodes that move or choose
/// elements: the model expects these there, and does without them; integers hold neither. Looks at every node once.
class TestedValues {
 public:
  explicit TestedValues(const Graph& graph) {
    std::vector<const Node*> nodes;
    for (const Node& node : graph.nodes()) nodes.push_back(&node);
    for (auto place = nodes.rbegin(); place != nodes.rend(); ++place) {
      const Node& node = **place;
      if (node.is("IsNaN") || node.is("IsInf") || (moves(node) && contains_any(node.outputs())))
        values_.insert(node.input(0));
    }
  }

  bool contains(const Value& value) const { return values_.contains(&value); }
  template <class Values>
  bool contains_any(const Values& values) const {
    return std::ranges::any_of(values, [&](const Value& value) { return contains(value); });
  }

 private:
  static bool moves(const Node& node) {
    constexpr std::array<std::string_view, 19> ops{
        "Reshape", "Flatten", "Squeeze",        "Unsqueeze", "Slice",        "Gather",       "Expand",
        "Tile",    "Split",   "Transpose",      "Identity",  "DepthToSpace", "SpaceToDepth", "ReduceMax",
        "Resize",  "MaxPool", "GatherElements", "ReduceMin", "Pad"};
    return node.input_count() != 0 && std::ranges::any_of(ops, [&](std::string_view op) { return node.is(op); });
  }

  std::unordered_set<const Value*> values_;
};

}  // namespace graft::inline v1::detail
