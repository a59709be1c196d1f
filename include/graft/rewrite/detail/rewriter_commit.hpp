#pragma once
#include <unordered_set>

#include <graft/rewrite/rewriter.hpp>

// How a rewrite ends.

namespace graft::inline v1 {

/// Erases the constants that have lost their last use since the last commit.
inline void Rewriter::drop_unused_constants() {
  for (std::size_t i = 0; i < edits_.freed.size(); ++i) {
    Value& value = *edits_.freed[i];
    if (value.erased() || value.use_count() != 0) continue;
    if (value.initializer() != nullptr) {
      if (!value.is_graph_input()) erase(value);
    } else if (value.is_constant()) {
      erase(*value.producer());  // a Constant, or an Identity whose own input is freed in turn
    }
  }
}

/// Gives a clone a name of its own where its original stays, or has another clone.
inline void Rewriter::rename_clones() {
  std::unordered_set<const Node*> taken;
  for (const auto& [original, copy] : clones_) {
    const bool is_free = original->erased() && taken.insert(original).second;
    if (is_free || copy->erased() || copy->name().empty()) continue;
    copy->graph().rename(*copy, copy->graph().fresh_name(copy->name()));
  }
}

inline Verdict Rewriter::commit() {
  if (!transaction_) return Verdict::yes();
  if (!state_) return decline(state_.reason());
  drop_unused_constants();
  rename_clones();
  transaction_->keep();
  transaction_.reset();
  return Verdict::yes();
}

inline void Rewriter::rollback() {
  transaction_.reset();
  edits_.clear();
  clones_.clear();
  state_ = Verdict::yes();
}

}  // namespace graft::inline v1
