#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/rewriter.hpp>

// Edits of what a caller of the graph sees.

namespace graft::inline v1 {

GRAFT_INLINE Verdict Rewriter::change_signature() {
  begin();
  if (intent_.signature) return Verdict::yes();
  return fail("the graph's signature would change, which was not declared");
}

GRAFT_INLINE void Rewriter::rename(Value& value, std::string_view name) {
  begin();
  if (value.name() == name) return;
  if ((value.is_graph_input() || value.is_graph_output()) && !change_signature()) return;
  if (name.empty() || value.graph().find(name) != nullptr) {
    static_cast<void>(fail("a value's new name is empty or taken"));
    return;
  }
  if (&value.graph() == &graph_->model().graph()) renamed_.emplace_back(value.name(), name);
  value.graph().rename(value, name);
}

GRAFT_INLINE void Rewriter::add_output(Value& value) {
  if (change_signature()) value.graph().add_output(value);
}

GRAFT_INLINE void Rewriter::remove_output(std::size_t i) {
  if (!change_signature()) return;
  free(graph_->output(i));
  graph_->remove_output(i);
}

GRAFT_INLINE void Rewriter::remove_input(Value& input) {
  if (!change_signature()) return;
  if (input.initializer() == nullptr && input.use_count() != 0) {
    static_cast<void>(fail("a used graph input cannot be removed"));
    return;
  }
  input.graph().remove_input(input);
}

GRAFT_INLINE void Rewriter::reorder_inputs(std::span<Value* const> order) {
  if (change_signature()) graph_->reorder_inputs(order);
}

}  // namespace graft::inline v1
