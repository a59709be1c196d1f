#pragma once
#include <graft/config.hpp>
#include <graft/graph/transaction.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Transaction::keep() {
  if (open_) journal_->keep();
  open_ = false;
}

GRAFT_INLINE void Transaction::rollback() {
  if (open_) journal_->rollback(mark_);
  open_ = false;
}

GRAFT_INLINE void Transaction::restart() {
  journal_->rollback(mark_);
  mark_ = journal_->open();
}

}  // namespace graft::inline v1
