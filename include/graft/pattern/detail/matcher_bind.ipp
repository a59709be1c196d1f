#pragma once
#include <graft/config.hpp>
#include <graft/pattern/detail/attribute_value.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/detail/read_constant.hpp>
#include <graft/pattern/read.hpp>

// Binds captures, compares captures that occur twice, and takes variable numbers of inputs or nodes: rest, each and
// chain.

namespace graft::inline v1 {

namespace detail {

/// Whether dtype, shape and bytes are equal; false if one cannot be read.
inline bool same_constant(const Value& a, const Value& b) {
  if (&a == &b) return true;
  const std::optional<Tensor> x = read_constant(a).tensor;
  if (!x) return false;
  const std::optional<Tensor> y = read_constant(b).tensor;
  return y && x->same_bytes(*y);
}

}  // namespace detail

/// The slot, for writing.
GRAFT_INLINE Slot& Matcher::set(std::size_t slot) {
  if (!choices_.empty()) slot_trail_.push_back({static_cast<std::uint16_t>(slot), false});
  state_.slots[slot].state = Slot::State::bound;
  return state_.slots[slot];
}

GRAFT_INLINE void Matcher::undo(const SlotUndo& undo) {
  if (!undo.appended) {
    state_.slots[undo.slot] = {};
    return;
  }
  detail::List& list = state_.list(undo.slot);
  const auto pop = [&](auto& elements) {
    elements.pop_back();
    state_.point(undo.slot, elements);
  };
  const Kind kind = kind_of(linked_->pattern().captures[undo.slot]);
  if (kind == Kind::node) return pop(list.nodes);
  if (kind == Kind::f32) return pop(list.floats);
  if (is_attribute(kind)) return pop(list.ints);
  pop(list.values);
}

GRAFT_INLINE bool Matcher::bind(std::size_t at, Value* value) {
  const PatternNode& here = row(at);
  if (here.slot < 0) return true;
  const auto slot = static_cast<std::size_t>(here.slot);
  const auto same = [&](const Value* before) {
    return before == value ||
           (before != nullptr && here.step == Step::constant && detail::same_constant(*before, *value));
  };
  if (here.listed) return bind_element(at, slot, &detail::List::values, value, same);
  const Slot& bound = state_.slots[slot];
  if (bound.state == Slot::State::unset) {
    set(slot).data = value;
    return true;
  }
  return (bound.bound() && same(static_cast<const Value*>(bound.data))) || fail(Why::other_value, at);
}

GRAFT_INLINE bool Matcher::bind(std::size_t at, Node* node) {
  const PatternNode& here = row(at);
  if (here.slot < 0) return true;
  const auto slot = static_cast<std::size_t>(here.slot);
  if (here.listed) {
    return bind_element(at, slot, &detail::List::nodes, node, [&](const Node* before) { return before == node; });
  }
  const Slot& bound = state_.slots[slot];
  if (bound.state == Slot::State::unset) {
    set(slot).data = node;
    return true;
  }
  return bound.data == node || fail(Why::other_value, at, node);
}

GRAFT_INLINE bool Matcher::bind_attribute(std::size_t at, std::size_t attr, const Slot& value) {
  const PatternAttr& here = linked_->pattern().attrs[attr];
  const auto slot = static_cast<std::size_t>(here.slot);
  const auto same = [&](const Slot& before) { return detail::same_attribute(here.type, before, value); };
  const auto differs = [&] { return fail(Why::attribute_differs, at, frames_[at].node, static_cast<int>(attr)); };
  if (here.listed) {
    const auto is = [](const auto& element) { return [&](const auto& before) { return before == element; }; };
    const bool bound = here.type == Kind::f32 ? bind_element(at, slot, &detail::List::floats, value.f, is(value.f))
                                              : bind_element(at, slot, &detail::List::ints, value.i, is(value.i));
    return bound || differs();
  }
  const Slot& bound = state_.slots[slot];
  if (bound.state == Slot::State::unset) {
    set(slot) = value;
    return true;
  }
  return (bound.bound() && same(bound)) || differs();
}

/// Within each(...): adds the element of this round, or compares it with the round's earlier binding.
template <class T, class Same>
bool Matcher::bind_element(std::size_t at, std::size_t slot, std::vector<T> detail::List::*member, T element,
                           Same same) {
  std::vector<T>& elements = state_.list(slot).*member;
  const std::size_t round = frames_[static_cast<std::size_t>(row(at).round)].round;
  if (elements.size() > round) return same(elements[round]) || fail(Why::other_value, at);
  if (!choices_.empty()) slot_trail_.push_back({static_cast<std::uint16_t>(slot), true});
  elements.push_back(element);
  state_.point(slot, elements);
  return true;
}

/// Binds a whole list at once.
template <class T>
bool Matcher::bind_list(std::size_t at, std::vector<T> detail::List::*member, std::vector<T> elements) {
  if (row(at).slot < 0) return true;
  const auto slot = static_cast<std::size_t>(row(at).slot);
  std::vector<T>& list = state_.list(slot).*member;
  const Slot& bound = state_.slots[slot];
  if (bound.state != Slot::State::unset) {
    return (bound.bound() && list == elements) || fail(Why::other_value, at);
  }
  set(slot);
  list = std::move(elements);
  state_.point(slot, list);
  return true;
}

GRAFT_INLINE bool Matcher::bind_absent(std::size_t at, std::int16_t slot) {
  if (slot < 0) return true;
  Slot& bound = state_.slots[static_cast<std::size_t>(slot)];
  if (bound.state == Slot::State::unset) set(static_cast<std::size_t>(slot)).state = Slot::State::absent;
  return bound.state == Slot::State::absent || fail(Why::missing_input, at);
}

/// Whether an attribute has the required value. Axes are compared as they are, and else counted from the front.
GRAFT_INLINE Why Matcher::compare(const PatternAttr& wanted, const Node& node, detail::AttributeValue value) {
  detail::AttributeValue literal{Why::none, detail::literal_slot(wanted, linked_->pattern().words)};
  const auto same = [&] { return detail::same_attribute(wanted.type, value.slot, literal.slot); };
  if (same()) return Why::none;
  if (!detail::is_axis(wanted.type)) return Why::attribute_value;
  detail::normalize_axes(wanted.type, node, state_.arena, value);
  detail::normalize_axes(wanted.type, node, state_.arena, literal);
  if (value.why != Why::none) return value.why;
  return literal.why == Why::none && same() ? Why::none : Why::attribute_value;
}

/// Matches the attributes of an operator. `claimed`: the inputs of params.
GRAFT_INLINE bool Matcher::attributes(std::size_t at, const Node& node, std::uint64_t& claimed) {
  const PatternNode& here = row(at);
  for (std::size_t k = here.attr0; k < std::size_t{here.attr0} + here.attr_count; ++k) {
    const PatternAttr& wanted = linked_->pattern().attrs[k];
    std::size_t position = 64;
    detail::AttributeValue value = detail::raw_attribute(wanted, node, state_.arena, position);
    if (position < 64) claimed |= std::uint64_t{1} << position;
    if (value.why == Why::attribute_absent && wanted.optional) {
      if (!bind_absent(at, wanted.slot)) return false;
      continue;
    }
    if (value.why == Why::none && wanted.mode == AttrMode::equals) {
      value.why = compare(wanted, node, value);
    } else if (value.why == Why::none && detail::is_axis(wanted.type)) {
      detail::normalize_axes(wanted.type, node, state_.arena, value);
    }
    if (value.why != Why::none) return fail(value.why, at, &node, static_cast<int>(k));
    if (wanted.mode == AttrMode::capture && !bind_attribute(at, k, value.slot)) return false;
  }
  return true;
}

/// The possible numbers of inputs for rest or each. The last of them takes all remaining inputs; optional operands need
/// none.
GRAFT_INLINE typename Matcher::Range Matcher::lengths(std::size_t at) const {
  const std::size_t above = parent(at);
  std::uint32_t operands = 0, needed = 0;
  bool last = true;
  for (std::size_t next = row(at).end; next < row(above).end; next = row(next).end) {
    const Step step = row(next).step;
    if (step == Step::rest || step == Step::each) {
      last = false;
      continue;
    }
    ++operands;
    if (step != Step::opt && step != Step::none) ++needed;
  }
  const auto left_by = [&](std::uint32_t others) {
    const std::uint32_t taken = frames_[at].first + others;
    return frames_[above].inputs > taken ? frames_[above].inputs - taken : 0;
  };
  return {last ? left_by(operands) : 0, left_by(needed)};
}

GRAFT_INLINE bool Matcher::variable_operand(std::size_t& at) { return take_operands(at, lengths(at).least); }

/// Takes `count` inputs for rest or each; a later attempt takes more, unless these are all.
GRAFT_INLINE bool Matcher::take_operands(std::size_t& at, std::uint32_t count) {
  if (count < lengths(at).most) choose(at, count + 1);
  Frame frame = frames_[at];
  frame.count = count;
  frame.round = 0;
  place(at, frame);
  if (row(at).step == Step::rest) {
    if (!rest(at)) return false;
    ++at;
    return true;
  }
  at = count == 0 ? row(at).end : at + 1;
  return true;
}

GRAFT_INLINE bool Matcher::rest(std::size_t at) {
  const Frame& frame = frames_[at];
  if (row(at).slot < 0) return true;
  std::vector<Value*> inputs;
  for (std::size_t i = 0; i < frame.count; ++i) inputs.push_back(frames_[parent(at)].node->input(frame.first + i));
  return bind_list(at, &detail::List::values, std::move(inputs));
}

/// Ends a round of each: lists without a new element get an absent one.
GRAFT_INLINE bool Matcher::next_round(std::size_t& at) {
  const std::size_t each = parent(at);
  Frame frame = frames_[each];
  const auto pad = [&]<class T>(std::size_t below, std::size_t slot, std::vector<T*> detail::List::*member) {
    if ((state_.list(slot).*member).size() > frame.round) return;
    bind_element(below, slot, member, static_cast<T*>(nullptr), [](T*) { return true; });
  };
  for (std::size_t below = each + 1; below < at; ++below) {
    if (!row(below).listed) continue;
    const auto slot = static_cast<std::size_t>(row(below).slot);
    if (kind_of(linked_->pattern().captures[slot]) == Kind::node) {
      pad(below, slot, &detail::List::nodes);
    } else {
      pad(below, slot, &detail::List::values);
    }
  }
  if (++frame.round == frame.count) {
    at = row(each).end;
    return true;
  }
  place(each, frame);
  at = each + 1;
  return true;
}

/// Whether a node can be a link of a chain, which enters by its first input and leaves by its only output.
GRAFT_INLINE bool Matcher::is_link(std::size_t at, const Node& node, const Value* output) const {
  if (!linked_->accepts(at, node.op()) || node.input(0) == nullptr) return false;
  if (output != nullptr && (output->index() != 0 || output->use_count() != 1)) return false;
  for (std::size_t i = 1; i < node.output_count(); ++i) {
    if (!node.output(i)->name().empty()) return false;
  }
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && !node.input(i)->is_constant()) return false;
  }
  return true;
}

GRAFT_INLINE bool Matcher::chain(std::size_t& at) {
  const Value* output = frames_[at].value;
  const Node* node = frames_[at].node;
  std::uint32_t links = 0;
  while (node != nullptr && is_link(at, *node, output)) {
    output = node->input(0);
    node = output->producer();
    ++links;
    ++steps_;
  }
  return take_links(at, links);
}

GRAFT_INLINE bool Matcher::take_links(std::size_t& at, std::uint32_t count) {
  if (count > 0) choose(at, count - 1);
  Frame frame = frames_[at];
  std::vector<Node*> links;
  if (count > 0) mark_inner(at);
  for (std::uint32_t i = 0; i < count; ++i) {
    Node* const link = frame.node;
    links.push_back(link);
    state_.nodes.push_back({link, static_cast<std::uint16_t>(at)});
    if (i > 0) inner_uses_.push_back({links[i - 1], 0});
    frame.value = link->input(0);
    frame.node = frame.value->producer();
  }
  frame.link = count > 0 ? links.back() : nullptr;
  place(at, frame);
  std::reverse(links.begin(), links.end());
  if (!bind_list(at, &detail::List::nodes, std::move(links))) return false;
  ++at;
  return true;
}

}  // namespace graft::inline v1
