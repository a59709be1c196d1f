#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/slot.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A node matched by a row of the pattern, or by a link of a row's chain.
struct MatchedNode {
  Node* node;
  std::uint16_t row;
};

namespace detail {

struct AttributeValue;

/// Stores attribute values that are not in the model: normalized axes, defaults by rank, constant inputs as attributes.
class Arena {
 public:
  const Ints& keep(Ints values) { return *ints_.emplace_back(std::make_unique<Ints>(std::move(values))); }
  const Floats& keep(Floats values) { return *floats_.emplace_back(std::make_unique<Floats>(std::move(values))); }
  const Tensor& keep(Tensor value) { return *tensors_.emplace_back(std::make_unique<Tensor>(std::move(value))); }
  void clear();

 private:
  std::vector<std::unique_ptr<Ints>> ints_;
  std::vector<std::unique_ptr<Floats>> floats_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
};

/// The target of a list slot. A slot uses one member, by its kind.
struct List {
  std::vector<Value*> values;
  std::vector<Node*> nodes;
  Ints ints;
  Floats floats;

  void clear();
};

/// The bindings of one attempt to match. Slots point into lists and arena, which keep their addresses when this is
/// moved.
struct MatchState {
  std::vector<Slot> slots;
  std::vector<List> lists;  // by slot; empty until a list is bound
  Arena arena;
  std::vector<MatchedNode> nodes;
  std::vector<Node*> roots;
  Failure best;

  void reset(std::size_t slot_count);

  List& list(std::size_t slot);

  template <class T>
  void point(std::size_t slot, const std::vector<T>& elements) {
    slots[slot].state = Slot::State::bound;
    slots[slot].data = elements.data();
    slots[slot].size = elements.size();
  }

  bool has_matched(const Node* node) const;
};

inline void Arena::clear() {
  ints_.clear();
  floats_.clear();
  tensors_.clear();
}

inline void List::clear() {
  values.clear();
  nodes.clear();
  ints.clear();
  floats.clear();
}

inline void MatchState::reset(std::size_t slot_count) {
  slots.assign(slot_count, Slot{});
  for (List& list : lists) list.clear();
  arena.clear();
  nodes.clear();
  roots.clear();
  best = {};
}

inline List& MatchState::list(std::size_t slot) {
  if (lists.size() < slots.size()) lists.resize(slots.size());
  return lists[slot];
}

inline bool MatchState::has_matched(const Node* node) const {
  for (const MatchedNode& matched : nodes) {
    if (matched.node == node) return true;
  }
  return false;
}

}  // namespace detail

/// Matches a pattern's table against the graph, from the root up through producers, row by row. A stack keeps choices:
/// the order of comm, the branches of either, the lengths of rest, each and chain, and the readers that may be a
/// further root. It tries every combination until one matches or the budget of steps is spent. One matcher serves any
/// number of attempts and patterns, and reuses its memory.
class Matcher {
 public:
  explicit Matcher(std::size_t budget = 100'000) : budget_(budget) {}

  /// Whether the pattern matches with this node as its root.
  bool run(const Linked& linked, Node& root) { return run(linked, &root, nullptr); }
  /// Whether it matches with this value as the output of its root.
  bool run(const Linked& linked, Value& value) { return run(linked, value.producer(), &value); }

  /// The bindings of the last attempt, and its failure.
  const detail::MatchState& state() const { return state_; }
  detail::MatchState take() { return std::exchange(state_, {}); }

 private:
  /// The place of a row in the graph.
  struct Frame {
    Value* value = nullptr;              // its value; for a chain, the input of its last link
    Node* node = nullptr;                // that value's producer; at a root, only the node is given
    std::uint32_t first = 0, count = 0;  // its inputs of the operator above
    std::uint32_t inputs = 0;            // op: number of inputs without trailing absent ones
    std::uint32_t round = 0;             // each: its current input
    Node* link = nullptr;                // chain: its last link, if it has any
    bool swapped = false;                // op: operands in the other order
  };
  struct Choice {
    std::uint16_t row;
    std::uint32_t next;
    std::size_t slots, frames, nodes, roots, uses;
  };
  /// A place where the pattern reads an output of a matched node.
  struct InnerUse {
    const Node* user;
    std::size_t input;
    bool operator<(const InnerUse& other) const;
  };
  struct Range {
    std::uint32_t least, most;
  };
  struct SlotUndo {
    std::uint16_t slot;
    bool appended;
  };
  struct FrameUndo {
    std::uint16_t row;
    Frame frame;
  };

  const PatternNode& row(std::size_t at) const { return linked_->pattern().nodes[at]; }
  std::size_t parent(std::size_t at) const { return static_cast<std::size_t>(row(at).parent); }

  bool run(const Linked& linked, Node* node, Value* value);
  Frame locate(std::size_t at) const;
  bool step(std::size_t& at);
  bool leaf(std::size_t& at);
  bool operation(std::size_t& at);
  Why compare(const PatternAttr& wanted, const Node& node, detail::AttributeValue value);
  bool attributes(std::size_t at, const Node& node, std::uint64_t& claimed);
  bool further_inputs(std::size_t at, std::uint64_t claimed);
  bool optional(std::size_t& at);
  bool variable_operand(std::size_t& at);
  bool take_operands(std::size_t& at, std::uint32_t count);
  bool rest(std::size_t at);
  bool next_round(std::size_t& at);
  bool chain(std::size_t& at);
  bool take_links(std::size_t& at, std::uint32_t count);
  bool further_root(std::size_t& at);
  bool take_root(std::size_t& at, std::uint32_t candidate);

  bool bind(std::size_t at, Value* value);
  bool bind(std::size_t at, Node* node);
  bool bind_attribute(std::size_t at, std::size_t attr, const Slot& value);
  template <class T, class Same>
  bool bind_element(std::size_t at, std::size_t slot, std::vector<T> detail::List::*member, T element, Same same);
  template <class T>
  bool bind_list(std::size_t at, std::vector<T> detail::List::*member, std::vector<T> elements);
  bool bind_absent(std::size_t at, std::int16_t slot);

  bool finish();
  bool is_closed(const MatchedNode& matched);
  bool stays_inside(const MatchedNode& matched);
  const Node* user_in_iteration(const Node& node) const;
  bool conditions();

  Range lengths(std::size_t at) const;
  bool is_link(std::size_t at, const Node& node, const Value* output) const;
  void find_candidates(std::size_t at);

  void mark_inner(std::size_t at);
  bool is_inner(const Use& use) const;
  void place(std::size_t at, const Frame& frame);
  Slot& set(std::size_t slot);
  void choose(std::size_t at, std::uint32_t next);
  bool backtrack(std::size_t& at);
  void undo(const SlotUndo& undo);
  const Node* consumer(std::size_t at, std::int32_t* input = nullptr) const;
  Failure* record(Why why, std::size_t at, const Node* node, int attr = -1);
  bool fail(Why why, std::size_t at, const Node* node = nullptr, int attr = -1);
  bool fail_whole(Why why, const Node* node, const Node* user = nullptr, const Reason& reason = {},
                  std::string_view name = {});

  const Linked* linked_ = nullptr;
  std::size_t budget_, steps_ = 0;
  detail::MatchState state_;
  std::vector<Frame> frames_;  // by row
  std::vector<Choice> choices_;
  std::vector<InnerUse> inner_uses_, sorted_uses_;  // the latter after all rows match
  std::vector<SlotUndo> slot_trail_;                // kept only while a choice is open
  std::vector<FrameUndo> frame_trail_;
  std::vector<std::vector<Node*>> candidates_;  // by row, of a further root
};

inline bool Matcher::InnerUse::operator<(const InnerUse& other) const {
  return user != other.user ? std::less<>()(user, other.user) : input < other.input;
}

}  // namespace graft::inline v1
