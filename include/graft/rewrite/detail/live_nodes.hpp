#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/graph/node.hpp>

namespace graft::inline v1::detail {

/// A flat table from nodes to values. It forgets erased nodes before it would grow. So over a run that makes and drops
/// a node in each step, it stays small enough for the cache. A table of all nodes that ever existed would not.
template <class T>
class LiveNodes {
 public:
  std::size_t size() const { return size_; }

  const T* find(const Node& node) const {
    const Slot& slot = slots_[place_of(node)];
    return slot.node != nullptr ? &slot.value : nullptr;
  }

  /// The entry of the node, and whether it is new.
  std::pair<T*, bool> insert(Node& node, const T& value = {}) {
    std::size_t place = place_of(node);
    if (slots_[place].node != nullptr) return {&slots_[place].value, false};
    if (size_ >= slots_.size() / 2) {
      make_room();
      place = place_of(node);
    }
    slots_[place] = {&node, value};
    ++size_;
    return {&slots_[place].value, true};
  }

  void erase(const Node& node) {
    std::size_t hole = place_of(node);
    if (slots_[hole].node == nullptr) return;
    // Close the gap: an entry whose probe sequence runs through the hole moves into it.
    for (std::size_t i = next(hole); slots_[i].node != nullptr; i = next(i)) {
      const std::size_t mask = slots_.size() - 1;
      if (((i - home(*slots_[i].node)) & mask) < ((i - hole) & mask)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
    --size_;
  }

  /// Empties the table, and frees it if it is large: clearing then costs no more than filling did. A small table is
  /// kept, because each edit fills one and should not allocate.
  void clear() {
    constexpr std::size_t max_kept = 8 * smallest;
    slots_.assign(slots_.size() <= max_kept ? slots_.size() : smallest, Slot{});
    size_ = 0;
  }

  /// Calls f(node) for each node, in no particular order. Some may be erased.
  template <class F>
  void for_each(F&& f) const {
    for (const Slot& slot : slots_)
      if (slot.node != nullptr) f(*slot.node);
  }

 private:
  static constexpr std::size_t smallest = 32;
  struct Slot {
    Node* node = nullptr;
    T value{};
  };

  std::size_t home(const Node& node) const {
    const std::uint64_t mixed = std::uint64_t{reinterpret_cast<std::uintptr_t>(&node)} * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
  std::size_t place_of(const Node& node) const {
    std::size_t i = home(node);
    while (slots_[i].node != nullptr && slots_[i].node != &node) i = next(i);
    return i;
  }

  void make_room() {
    std::size_t alive = 0;
    for (const Slot& slot : slots_) alive += slot.node != nullptr && !slot.node->erased();
    const std::vector<Slot> old = std::exchange(slots_, {});
    std::size_t count = old.size();
    while (alive >= count / 4) count *= 2;  // room for as many nodes again before the next growth
    slots_.resize(count);
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.node == nullptr || slot.node->erased()) continue;
      slots_[place_of(*slot.node)] = slot;
      ++size_;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(smallest);
  std::size_t size_ = 0;
};

}  // namespace graft::inline v1::detail
