#pragma once
#include <graft/config.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/read.hpp>

// Further roots, which read bound values. Then the checks of a whole match: attributes that the pattern does not
// mention, other readers, conditions.

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

GRAFT_INLINE bool Matcher::finish() {
  sorted_uses_ = inner_uses_;
  std::sort(sorted_uses_.begin(), sorted_uses_.end());
  for (const MatchedNode& matched : state_.nodes) {
    if (!stays_inside(matched)) return false;
  }
  for (const MatchedNode& matched : state_.nodes) {
    if (!is_closed(matched)) return false;
  }
  return conditions();
}

GRAFT_INLINE bool Matcher::is_inner(const Use& use) const {
  return std::binary_search(sorted_uses_.begin(), sorted_uses_.end(), InnerUse{use.user(), use.index()});
}

/// A reader of the node in the body of a Loop or Scan, if the node is outside. The node is computed once; as a part of
/// the body it would be computed in every iteration.
GRAFT_INLINE const Node* Matcher::user_in_iteration(const Node& node) const {
  for (const Value& output : node.outputs()) {
    for (const Use& use : output.uses()) {
      for (const Graph* scope = &use.graph(); scope != &node.graph(); scope = scope->parent())
        if (scope->owner()->is("Loop") || scope->owner()->is("Scan")) return use.user();
    }
  }
  return nullptr;
}

/// An inner value with other readers cannot be removed. A matched node counts as another reader if the pattern has a
/// leaf there: the binding of a leaf stays.
GRAFT_INLINE bool Matcher::stays_inside(const MatchedNode& matched) {
  const PatternNode& here = row(matched.row);
  const auto& roots = state_.roots;
  if (here.shared) return true;
  if (const Node* const user = user_in_iteration(*matched.node))
    return fail_whole(Why::used_in_body, matched.node, user);
  if (here.step == Step::chain) return true;
  if (std::find(roots.begin(), roots.end(), matched.node) != roots.end()) return true;
  for (const Value& output : matched.node->outputs()) {
    for (const Use& use : output.uses()) {
      if (is_inner(use)) continue;
      const Node* const user = use.user();
      if (user == nullptr) return fail_whole(Why::graph_output, matched.node);
      const bool inside_body = &use.graph() != &matched.node->graph();
      return fail_whole(inside_body ? Why::used_in_body : Why::used_elsewhere, matched.node, user);
    }
  }
  return true;
}

/// An operator that the replacement does not build again may have only attributes that the pattern mentions, or
/// defaults.
GRAFT_INLINE bool Matcher::is_closed(const MatchedNode& matched) {
  const PatternNode& here = row(matched.row);
  const auto& given = matched.node->proto().attribute();
  if (!linked_->pattern().closed || here.reemitted || here.open || given.empty()) return true;
  const schema::Operator* const facts = matched.node->schema();
  const auto is_mentioned = [&](std::string_view name) {
    for (const PatternAttr& attr : linked_->pattern().attrs.subspan(here.attr0, here.attr_count)) {
      if (attr.name == name) return true;
      if (!attr.param || facts == nullptr) continue;
      const schema::Place place = schema::parameter(*facts, attr.name);
      if (place.kind == schema::Place::Kind::attribute && facts->attributes()[place.index].name() == name) return true;
    }
    return false;
  };
  for (const onnx::AttributeProto& attribute : given) {
    if (is_mentioned(attribute.name())) continue;
    const schema::Attribute* const known = facts == nullptr ? nullptr : facts->attribute(attribute.name());
    if (known != nullptr && !is_reference(attribute) && known->is_default(attribute)) continue;
    return fail_whole(Why::attribute_unmentioned, matched.node, nullptr, {}, attribute.name());
  }
  return true;
}

GRAFT_INLINE bool Matcher::conditions() {
  const Node* const root = state_.roots.empty() ? nullptr : state_.roots.front();
  for (const CheckRow& check : linked_->pattern().checks) {
    Verdict verdict = Verdict::yes();
    try {
      verdict = check.holds(state_.slots.data(), check.slots.data());
    } catch (const UnreadableTensor&) {
      verdict = Verdict::no({"a constant that a condition asks for cannot be read", "unreadable", {}, 0});
    }
    if (verdict) continue;
    Reason reason = verdict.reason();
    if (reason.text.empty()) reason.text = check.text;
    return fail_whole(Why::refused, root, nullptr, reason);
  }
  return true;
}

/// The pattern matched, but a check of the whole match failed.
GRAFT_INLINE bool Matcher::fail_whole(Why why, const Node* node, const Node* user, const Reason& reason,
                                      std::string_view name) {
  Failure* const failure = record(why, linked_->pattern().nodes.size(), node);
  if (failure == nullptr) return false;
  failure->user = user;
  failure->reason = reason;
  failure->name = name;
  return false;
}

}  // namespace graft::inline v1
