#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/rewrite/rewriter.hpp>

// How a rewrite ends.

namespace graft::inline v1 {

/// Erases what has lost its last use since the last commit: initializers, and nodes none of whose outputs is used.
GRAFT_INLINE void Rewriter::drop_unused() {
  const auto is_used = [](const Value& output) { return output.use_count() != 0; };
  for (std::size_t i = 0; i < edits_.freed.size(); ++i) {  // erasing a node frees what it reads
    Value& value = *edits_.freed[i];
    if (value.erased() || value.use_count() != 0) continue;
    if (value.initializer() != nullptr) {
      if (!value.is_graph_input()) erase(value);
    } else if (Node* const producer = value.producer()) {
      const auto outputs = producer->outputs();
      if (std::none_of(outputs.begin(), outputs.end(), is_used)) erase(*producer);
    }
  }
}

/// Gives a clone a name of its own where its original stays, or has another clone.
GRAFT_INLINE void Rewriter::rename_clones() {
  std::unordered_set<const Node*> taken;
  for (const auto& [original, copy] : clones_) {
    const bool is_free = original->erased() && taken.insert(original).second;
    if (is_free || copy->erased() || copy->name().empty()) continue;
    copy->graph().rename(*copy, copy->graph().fresh_name(copy->name()));
  }
}

/// What a new node computes in the place of a value that is gone bears its name: ranges, overrides and users know it.
GRAFT_INLINE void Rewriter::hand_over_names() {
  for (const auto& [old, by] : replaced_) {
    if (!old->erased() || old->name().empty() || by->erased() || by->is_graph_output()) continue;
    if (&old->graph() != &by->graph() || by->graph().find(old->name()) != nullptr) continue;
    by->graph().rename(*by, old->name());
  }
}

GRAFT_INLINE Verdict Rewriter::commit() {
  const bool keeps_contents = std::exchange(keeps_contents_, false);
  if (!transaction_) return Verdict::yes();
  if (!state_) return decline(state_.reason());
  drop_unused();
  rename_clones();
  hand_over_names();
  transaction_->keep();
  transaction_.reset();
  if (keeps_contents) known_contents_.keep(graph_->model());
  for (const auto& [from, to] : renamed_) context_->facts.tensor_renamed(from, to);
  for (const auto& [from, to] : renamed_nodes_) context_->facts.node_renamed(from, to);
  renamed_.clear();
  renamed_nodes_.clear();
  return Verdict::yes();
}

GRAFT_INLINE Rewriter::~Rewriter() {
  if (!transaction_ || edits_.empty() || std::uncaught_exceptions() != 0) return;
  try {
    context_->tell("the edits of a Rewriter were taken back: it ended without commit()");
  } catch (...) {  // from the user's callback
  }
}

GRAFT_INLINE void Rewriter::rollback() {
  transaction_.reset();
  edits_.clear();
  clones_.clear();
  replaced_.clear();
  renamed_.clear();
  renamed_nodes_.clear();
  state_ = Verdict::yes();
  keeps_contents_ = false;
}

}  // namespace graft::inline v1
