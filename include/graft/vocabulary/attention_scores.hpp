#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

// The scores of attention between the first product and Softmax.

namespace graft::inline v1::vocabulary {

/// Whether a node scales, masks or moves scores.
inline bool keeps_scores(const Node& node) {
  return node.is_any_of({"Add", "Mul", "Div", "Where", "Cast", "Reshape", "Transpose", "Dropout"});
}

/// The nodes from the reader of a result to the Softmax whose scores it is, at most 8, each the only reader of the one
/// before. Empty if there is no such Softmax.
inline std::vector<const Node*> nodes_to_softmax(const Node& node) {
  constexpr std::size_t most = 8;
  std::vector<const Node*> row;
  for (const Node* last = &node; row.size() < most; last = row.back()) {
    const Value* const result = last->output(0);
    if (result == nullptr || !result->has_one_use() || result->is_graph_output()) break;
    row.push_back(result->uses().front().user());
    if (row.back()->is("Softmax")) return row;
    if (!keeps_scores(*row.back())) break;
  }
  return {};
}

}  // namespace graft::inline v1::vocabulary
