#pragma once
#include <graft/config.hpp>
#include <graft/pattern/detail/match_bind.ipp>
#include <graft/pattern/detail/matcher_class.hpp>

// Variable numbers of inputs or nodes: rest, each and chain.

namespace graft::inline v1 {

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
