#pragma once
#include <graft/pattern/detail/matcher_class.hpp>

// What is checked of a whole match: attributes that the pattern does not mention, uses from outside, conditions.

namespace graft::inline v1 {

template <class Void>
bool BasicMatcher<Void>::finish() {
  for (const MatchedNode& matched : state_.nodes) {
    if (!stays_inside(matched)) return false;
  }
  for (const MatchedNode& matched : state_.nodes) {
    if (!is_closed(matched)) return false;
  }
  return conditions();
}

template <class Void>
bool BasicMatcher<Void>::is_inner(const Use& use) const {
  const InnerUse wanted{use.user(), use.index()};
  return std::find(inner_uses_.begin(), inner_uses_.end(), wanted) != inner_uses_.end();
}

/// An inner value that is used from outside cannot go away. A matched node too uses it from outside where the pattern
/// has a leaf: what the leaf binds stays.
template <class Void>
bool BasicMatcher<Void>::stays_inside(const MatchedNode& matched) {
  const PatternNode& here = row(matched.row);
  const auto& roots = state_.roots;
  if (here.shared || here.step == Step::chain) return true;
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

/// An operator that the replacement does not build again must not do what the pattern does not say.
template <class Void>
bool BasicMatcher<Void>::is_closed(const MatchedNode& matched) {
  const PatternNode& here = row(matched.row);
  const auto& given = matched.node->proto().attribute();
  if (!linked_->pattern().closed || here.reemitted || given.empty()) return true;
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

/// Whether the constants that a condition takes as tensors can be read.
template <class Void>
bool BasicMatcher<Void>::can_read_arguments(const CheckRow& check) {
  for (std::size_t i = 0; i < check.slot_count; ++i) {
    if ((check.tensors >> i & 1) == 0) continue;
    const auto slot = static_cast<std::size_t>(check.slots[i]);
    const auto* const value = detail::pointer<const Value>(state_.slots[slot]);
    if (value == nullptr || detail::read_constant(*value).why_not.empty()) continue;
    std::size_t leaf = 0;
    while (row(leaf).slot != check.slots[i]) ++leaf;
    const Reason reason{"what {name} is bound to cannot be read", "unreadable", {}, 0, row(leaf).name};
    return fail_whole(Why::refused, state_.roots.empty() ? nullptr : state_.roots.front(), nullptr, reason);
  }
  return true;
}

template <class Void>
bool BasicMatcher<Void>::conditions() {
  for (const CheckRow& check : linked_->pattern().checks) {
    if (!can_read_arguments(check)) return false;
    const Verdict verdict = check.holds(state_.slots.data(), check.slots.data());
    if (verdict) continue;
    Reason reason = verdict.reason();
    if (reason.text.empty()) reason.text = check.text;
    return fail_whole(Why::refused, state_.roots.empty() ? nullptr : state_.roots.front(), nullptr, reason);
  }
  return true;
}

/// The pattern matched, but not what is around it.
template <class Void>
bool BasicMatcher<Void>::fail_whole(Why why, const Node* node, const Node* user, const Reason& reason,
                                std::string_view name) {
  const std::size_t end = linked_->pattern().nodes.size();
  fail(why, end, node);
  Failure& best = state_.best;
  best.user = user;
  best.reason = reason;
  best.name = name;
  return false;
}

}  // namespace graft::inline v1
