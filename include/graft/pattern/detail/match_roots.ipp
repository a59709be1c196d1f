#pragma once
#include <graft/config.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/read.hpp>

// Further roots: nodes that read bound values.

namespace graft::inline v1 {

/// Searches from the readers of the anchor up to the root's operator, level by level along the pattern.
GRAFT_INLINE void Matcher::find_candidates(std::size_t at) {
  const auto anchor = static_cast<std::size_t>(row(at).anchor);
  const Slot& bound = state_.slots[static_cast<std::size_t>(row(anchor).slot)];
  Value* start = detail::pointer<Value>(bound);
  if (row(anchor).step == Step::output) start = detail::pointer<Node>(bound)->output(row(anchor).out);

  std::vector<Node*> level;
  const auto add_users = [&](const Value& value, std::size_t user_row) {
    for (const Use& use : value.uses()) {
      ++steps_;
      Node* const user = use.user();
      if (user == nullptr || &use.graph() != &value.graph() || !linked_->accepts(user_row, user->op())) continue;
      if (std::find(level.begin(), level.end(), user) == level.end()) level.push_back(user);
    }
  };
  std::size_t user_row = parent(anchor);
  if (start != nullptr) add_users(*start, user_row);
  while (parent(user_row) != at) {
    const std::vector<Node*> below = std::exchange(level, {});
    const std::size_t out = row(user_row).out;
    user_row = parent(user_row);
    for (const Node* node : below) {
      if (out < node->output_count()) add_users(*node->output(out), user_row);
    }
  }
  candidates_.resize(std::max(candidates_.size(), linked_->pattern().nodes.size()));
  candidates_[at] = std::move(level);
}

GRAFT_INLINE bool Matcher::further_root(std::size_t& at) {
  find_candidates(at);
  return take_root(at, 0);
}

GRAFT_INLINE bool Matcher::take_root(std::size_t& at, std::uint32_t candidate) {
  const std::vector<Node*>& candidates = candidates_[at];
  while (candidate < candidates.size() && state_.has_matched(candidates[candidate])) ++candidate;
  if (candidate == candidates.size()) return fail(Why::no_further_root, at);
  if (candidate + 1 < candidates.size()) choose(at, candidate + 1);
  Frame frame;
  frame.node = candidates[candidate];
  place(at, frame);
  state_.roots.push_back(frame.node);
  ++at;
  return true;
}

}  // namespace graft::inline v1
