#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/tested_for_nan.hpp>
#include <graft/vocabulary/channel_front.hpp>

namespace graft::inline v1::detail {

/// The operand of an operator that prepares inputs: an elementwise operator by constants, an elementwise operator with
/// one operand, or a movement. nullptr for others.
inline const Value* prepared_operand(const Node& node) {
  if (node.output_count() == 0 || node.input_count() == 0) return nullptr;
  const bool is_unary = node.is_any_of({"Abs", "Cast", "Clip", "Exp", "Log", "Neg", "Pow", "Reciprocal", "Sqrt"});
  return is_unary || moves_elements(node) ? node.input(0) : vocabulary::scaled_operand(node);
}

/// Whether only such operators are between an input of the graph and the value.
inline bool is_prepared_input(const Value& value) {
  const Value* from = &value;
  while (from != nullptr && from->producer() != nullptr) from = prepared_operand(*from->producer());
  return from != nullptr && !from->is_constant();
}

/// Whether the node, or another such operator behind it, brings features of a graph input to one scale that differ so
/// much that no scale serves all of them. The input of such a node must stay in float.
inline bool scales_input(const Node& node) {
  const Value* const operand = prepared_operand(node);
  if (operand == nullptr || !is_prepared_input(*operand)) return false;
  std::vector<const Node*> behind{&node};
  while (!behind.empty()) {
    const Node& last = *behind.back();
    behind.pop_back();
    const Value& made = *last.output(0);
    if (vocabulary::scaled_operand(last) != nullptr && vocabulary::evens_out(vocabulary::channel_front(made)))
      return true;
    for (const Node& user : made.users())
      if (prepared_operand(user) == &made) behind.push_back(&user);
  }
  return false;
}

}  // namespace graft::inline v1::detail
