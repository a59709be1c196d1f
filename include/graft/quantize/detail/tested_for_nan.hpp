#pragma once
#include <algorithm>
#include <unordered_set>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Whether a node tests which elements are NaN or infinite. Quantized tensors hold neither.
inline bool tests_for_nan(const Node& node) { return node.is("IsNaN") || node.is("IsInf"); }

/// Whether NaN in the first operand stays NaN in the result. Resize may interpolate, and spreads it.
inline bool keeps_nan(const Node& node) { return takes_elements(node) || node.is("Resize"); }

/// The values of a graph that IsNaN or IsInf reads, in the graph or in a body, directly or behind nodes that move their
/// elements. The model expects NaN and infinity in these, and replaces them. Visits every edge once.
class TestedForNan {
 public:
  explicit TestedForNan(const Graph& graph) {
    for (const Value* const input : graph.inputs()) add_if_read(*input);
    for (const Node* node = graph.last_node(); node != nullptr; node = node->prev()) {
      bool is_any_tested = false;
      for (const Value& output : node->outputs()) is_any_tested = add_if_read(output) || is_any_tested;
      if (is_any_tested && keeps_nan(*node) && node->input(0) != nullptr) values_.insert(node->input(0));
    }
  }

  bool contains(const Value& value) const { return values_.contains(&value); }

 private:
  /// Whether the value is tested; its readers must have been visited.
  bool add_if_read(const Value& value) {
    const auto users = value.users();
    if (std::any_of(users.begin(), users.end(), [](const Node& user) { return tests_for_nan(user); }))
      values_.insert(&value);
    return contains(value);
  }

  std::unordered_set<const Value*> values_;
};

}  // namespace graft::inline v1::detail
