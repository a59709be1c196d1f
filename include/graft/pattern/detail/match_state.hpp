#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/slot.hpp>

namespace graft::inline v1 {

/// A node matched by a row of the pattern, or by a link of a row's chain.
struct MatchedNode {
  Node* node;
  std::uint16_t row;
};

namespace detail {

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

}  // namespace detail
}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/pattern/detail/match_state.ipp>
#endif
