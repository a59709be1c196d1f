#pragma once
#include <graft/config.hpp>
#include <graft/pattern/detail/match_state.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE void Arena::clear() {
  ints_.clear();
  floats_.clear();
  tensors_.clear();
}

GRAFT_INLINE void List::clear() {
  values.clear();
  nodes.clear();
  ints.clear();
  floats.clear();
}

GRAFT_INLINE void MatchState::reset(std::size_t slot_count) {
  slots.assign(slot_count, Slot{});
  for (List& list : lists) list.clear();
  arena.clear();
  nodes.clear();
  roots.clear();
  best = {};
}

GRAFT_INLINE List& MatchState::list(std::size_t slot) {
  if (lists.size() < slots.size()) lists.resize(slots.size());
  return lists[slot];
}

GRAFT_INLINE bool MatchState::has_matched(const Node* node) const {
  for (const MatchedNode& matched : nodes) {
    if (matched.node == node) return true;
  }
  return false;
}

}  // namespace detail

}  // namespace graft::inline v1
