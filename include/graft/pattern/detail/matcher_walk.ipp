#pragma once

#include <graft/config.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/pattern/detail/constraint.hpp>
#include <graft/pattern/detail/matcher_class.hpp>

// The walk: row after row, and back to the last choice after a failure.

namespace graft::inline v1 {

GRAFT_INLINE bool Matcher::run(const Linked& linked, Node* node, Value* value) {
  linked_ = &linked;
  steps_ = 0;
  const RulePattern& pattern = linked.pattern();
  state_.reset(pattern.captures.size());
  frames_.resize(std::max(frames_.size(), pattern.nodes.size()));
  choices_.clear();
  inner_uses_.clear();
  slot_trail_.clear();
  frame_trail_.clear();
  for (const Linked::BoundArgument& argument : linked.arguments()) set(argument.slot).data = argument.value.get();
  if (node != nullptr) state_.roots.push_back(node);
  Frame root;
  root.node = node;
  root.value = value;
  place(0, root);

  for (std::size_t at = 0;;) {
    if (++steps_ > budget_) {
      state_.best = {};
      return fail(Why::budget, at);
    }
    if (at == pattern.nodes.size()) {
      if (finish()) return true;
      if (!backtrack(at)) return false;
    } else if (!step(at) && !backtrack(at)) {
      return false;
    }
  }
}

/// Locates a row in the graph, after the rows before it.
GRAFT_INLINE typename Matcher::Frame Matcher::locate(std::size_t at) const {
  const PatternNode& here = row(at);
  if (here.parent < 0) return frames_[at];
  const PatternNode& above = row(parent(at));
  const Frame& up = frames_[parent(at)];
  Frame frame;
  if (here.same_value && above.step != Step::each) {
    frame.value = up.value;
    frame.node = up.node;
    return frame;
  }
  if (here.same_value) {
    frame.value = frames_[parent(parent(at))].node->input(up.first + up.round);
  } else {
    frame.count = 1;
    if (above.commutative) {
      frame.first = up.swapped ? 1u - here.operand : here.operand;
    } else if (here.previous >= 0) {
      const Frame& before = frames_[static_cast<std::size_t>(here.previous)];
      frame.first = before.first + before.count;
    }
    frame.value = up.node->input(frame.first);
  }
  frame.node = frame.value == nullptr ? nullptr : frame.value->producer();
  return frame;
}

/// Matches one row; sets `at` to the next row.
GRAFT_INLINE bool Matcher::step(std::size_t& at) {
  const PatternNode& here = row(at);
  switch (here.step) {
    case Step::again: return next_round(at);
    case Step::otherwise: at = row(parent(at)).end; return true;
    case Step::root: return further_root(at);
    default: break;
  }
  place(at, locate(at));
  switch (here.step) {
    case Step::op: return operation(at);
    case Step::opt: return optional(at);
    case Step::rest:
    case Step::each: return variable_operand(at);
    case Step::chain: return chain(at);
    case Step::either:
      choose(at, row(at + 1).end + 1u);
      ++at;
      return true;
    default: return leaf(at);
  }
}

GRAFT_INLINE bool Matcher::leaf(std::size_t& at) {
  const PatternNode& here = row(at);
  Value* const value = frames_[at].value;
  if (here.step == Step::none) {
    if (value != nullptr) return fail(Why::unexpected_input, at);
    ++at;
    return true;
  }
  if (value == nullptr) return fail(Why::missing_input, at);
  if (here.step == Step::output) {
    if (value->producer() == nullptr) return fail(Why::other_value, at);
    if (value->index() != here.out) return fail(Why::other_output, at, value->producer());
    if (!bind(at, value->producer())) return false;
    mark_inner(at);
  } else {
    if (here.step == Step::constant && !value->is_constant()) return fail(Why::not_constant, at);
    const RulePattern& pattern = linked_->pattern();
    for (std::size_t k = here.attr0; k < std::size_t{here.attr0} + here.attr_count; ++k) {
      const Why why = detail::check(*value, pattern.attrs[k], pattern.words);
      if (why != Why::none) return fail(why, at, nullptr, static_cast<int>(k));
    }
    if (!bind(at, value)) return false;
  }
  ++at;
  return true;
}

GRAFT_INLINE bool Matcher::operation(std::size_t& at) {
  const PatternNode& here = row(at);
  Frame frame = frames_[at];
  Node* const node = frame.node;
  if (node == nullptr) return fail(frame.value == nullptr ? Why::missing_input : Why::op, at);
  if (!linked_->accepts(at, node->op())) return fail(Why::op, at, node);
  if (frame.value != nullptr && frame.value->index() != here.out) return fail(Why::other_output, at, node);
  // A known operator without its results, for any imported opset; others may have no results.
  if (here.out >= node->output_count() && !node->schemas().empty())
    return fail(Why::other_output, at, node);
  if (here.since != 0 || here.before != 0xffff) {
    const int version = node->opset();
    if (version < here.since || version >= here.before) return fail(Why::opset, at, node);
  }
  frame.inputs = static_cast<std::uint32_t>(node->input_count());
  while (frame.inputs > 0 && node->input(frame.inputs - 1) == nullptr) --frame.inputs;
  place(at, frame);

  std::uint64_t claimed = 0;
  if (!attributes(at, *node, claimed)) return false;
  if (!here.variadic && !further_inputs(at, claimed)) return false;
  if (!bind(at, node)) return false;
  state_.nodes.push_back({node, static_cast<std::uint16_t>(at)});
  mark_inner(at);
  if (here.commutative) choose(at, 1);
  ++at;
  return true;
}

/// Whether inputs without an operand are absent, or read by a param.
GRAFT_INLINE bool Matcher::further_inputs(std::size_t at, std::uint64_t claimed) {
  const Frame& frame = frames_[at];
  for (std::size_t i = row(at).operand_count; i < frame.inputs; ++i) {
    const bool is_claimed = i < 64 && (claimed >> i & 1) != 0;
    if (!is_claimed && frame.node->input(i) != nullptr) return fail(Why::extra_input, at, frame.node);
  }
  return true;
}

GRAFT_INLINE bool Matcher::optional(std::size_t& at) {
  const PatternNode& here = row(at);
  if (frames_[at].value != nullptr) {
    ++at;
    return true;
  }
  const RulePattern& pattern = linked_->pattern();
  for (std::size_t below = at + 1; below < here.end; ++below) {
    const PatternNode& absent = row(below);
    if (absent.step != Step::output && !absent.listed && !bind_absent(below, absent.slot)) return false;
    for (std::size_t k = absent.attr0; k < std::size_t{absent.attr0} + absent.attr_count; ++k) {
      if (!pattern.attrs[k].listed && !bind_absent(below, pattern.attrs[k].slot)) return false;
    }
  }
  at = here.end;
  return true;
}

/// The operator that reads the row's value, through either, opt, each or chain; nullptr at a root.
GRAFT_INLINE const Node* Matcher::consumer(std::size_t at, std::int32_t* input) const {
  while (row(at).parent >= 0) {
    const std::size_t above = parent(at);
    if (row(above).step == Step::op) {
      if (input != nullptr) *input = static_cast<std::int32_t>(frames_[at].first + frames_[at].round);
      return frames_[above].node;
    }
    if (row(above).step == Step::chain && frames_[above].link != nullptr) {
      if (input != nullptr) *input = 0;
      return frames_[above].link;
    }
    at = above;
  }
  return nullptr;
}

GRAFT_INLINE void Matcher::choose(std::size_t at, std::uint32_t next) {
  choices_.push_back({static_cast<std::uint16_t>(at), next, slot_trail_.size(), frame_trail_.size(),
                      state_.nodes.size(), state_.roots.size(), inner_uses_.size()});
}

/// Records that the pattern reads the row's value as the output of a matched node.
GRAFT_INLINE void Matcher::mark_inner(std::size_t at) {
  std::int32_t input = 0;
  if (const Node* const user = consumer(at, &input)) inner_uses_.push_back({user, static_cast<std::size_t>(input)});
}

/// Returns to the last choice; sets `at` to the next row. False if there is no choice left.
GRAFT_INLINE bool Matcher::backtrack(std::size_t& at) {
  while (!choices_.empty()) {
    const Choice choice = choices_.back();
    for (; slot_trail_.size() > choice.slots; slot_trail_.pop_back()) undo(slot_trail_.back());
    for (; frame_trail_.size() > choice.frames; frame_trail_.pop_back()) {
      frames_[frame_trail_.back().row] = frame_trail_.back().frame;
    }
    state_.nodes.resize(choice.nodes);
    state_.roots.resize(choice.roots);
    inner_uses_.resize(choice.uses);
    choices_.pop_back();
    at = choice.row;
    switch (row(at).step) {
      case Step::op: {
        Frame frame = frames_[at];
        frame.swapped = true;
        place(at, frame);
        ++at;
        return true;
      }
      case Step::either: at = choice.next; return true;
      case Step::chain:
        if (take_links(at, choice.next)) return true;
        break;
      case Step::root:
        if (take_root(at, choice.next)) return true;
        break;
      default:
        if (take_operands(at, choice.next)) return true;
    }
  }
  return false;
}

GRAFT_INLINE void Matcher::place(std::size_t at, const Frame& frame) {
  if (!choices_.empty()) frame_trail_.push_back({static_cast<std::uint16_t>(at), frames_[at]});
  frames_[at] = frame;
}

GRAFT_INLINE Failure* Matcher::record(Why why, std::size_t at, const Node* node, int attr) {
  Failure& best = state_.best;
  const std::size_t matched = state_.nodes.size();
  // At one row, the kinds of failure are ordered as they are checked.
  const int row_number = static_cast<int>(at);
  const bool further = matched != best.matched    ? matched > best.matched
                       : row_number != best.row ? row_number > best.row
                                                : why > best.why;
  if (best.why != Why::none && !further) return nullptr;
  best = {};
  best.why = why;
  best.matched = static_cast<std::uint16_t>(matched);
  best.row = static_cast<std::int16_t>(at);
  best.attr = static_cast<std::int16_t>(attr);
  best.node = node;
  if (at < linked_->pattern().nodes.size()) {
    best.value = frames_[at].value;
    best.user = consumer(at, &best.input);
  }
  return &best;
}

GRAFT_INLINE bool Matcher::fail(Why why, std::size_t at, const Node* node, int attr) {
  record(why, at, node, attr);
  return false;
}

}  // namespace graft::inline v1
