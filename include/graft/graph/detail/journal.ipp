#pragma once
#include <graft/graph/detail/journal.hpp>

#include <graft/config.hpp>
#include <graft/graph/detail/undo.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Journal::Journal() = default;
GRAFT_INLINE Journal::~Journal() = default;

GRAFT_INLINE void Journal::record(const Undo& undo) {
  ++edits_;
  if (undo.is_change()) ++changes_;
  if (depth_ != 0) entries_.push_back(undo);
}

GRAFT_INLINE std::size_t Journal::open() {
  ++depth_;
  return entries_.size();
}

GRAFT_INLINE void Journal::keep() {
  if (--depth_ == 0) entries_.clear();
}

GRAFT_INLINE void Journal::rollback(std::size_t mark) {
  const std::size_t depth = depth_;
  if (entries_.size() > mark) ++edits_;  // earlier answers do not hold any more
  depth_ = 0;  // the undo itself is not recorded
  while (entries_.size() > mark) {
    const Undo undo = entries_.back();
    entries_.pop_back();
    undo.undo();
    if (undo.is_change()) --changes_;
  }
  depth_ = depth - 1;
}

}  // namespace graft::inline v1::detail
