#pragma once
// Topological order: sorting of unsorted models, and upkeep under edits. Nodes have keys with gaps, so that the cost of
// an insertion depends on its operands, not on the graph.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The node of this scope that is `inner` or holds it in a body; the sentinel for graph outputs.
GRAFT_INLINE Node* Graph::user_in_scope(const Node& inner) const {
  const Node* node = &inner;
  while (node->graph_ != this) {
    if (node->graph_->owner_ == nullptr)
      throw Error("a value is used outside its scope").node(node->proto_ ? display_name(*node->proto_) : "");
    node = node->graph_->owner_;
  }
  return const_cast<Node*>(node);
}

/// Calls f(body) for every body of the node, at any depth.
template <class F>
void Graph::for_each_body(const Node& node, F&& f) const {
  std::vector<Graph*> inside;
  for (const Body& body : node.bodies()) inside.push_back(body.graph);
  for (std::size_t k = 0; k < inside.size(); ++k) {
    f(*inside[k]);
    for (const Node* inner = inside[k]->end_.next_; inner != &inside[k]->end_; inner = inner->next_)
      for (const Body& body : inner->bodies()) inside.push_back(body.graph);
  }
}

/// Calls f(use) for every use in the node's bodies, at any depth, of a value from outside.
template <class F>
void Graph::for_each_capture(const Node& node, F&& f) const {
  const auto visit = [&](const Node& user) {
    for (std::size_t i = 0; i < user.input_count_; ++i) {
      const Value* const value = user.uses_[i].value_;
      if (value != nullptr && value->graph_->depth_ <= depth_) f(user.uses_[i]);
    }
  };
  for_each_body(node, [&](const Graph& body) {
    visit(body.end_);
    for (const Node* inner = body.end_.next_; inner != &body.end_; inner = inner->next_) visit(*inner);
  });
}

/// Calls f(producer) for every node of this scope that `node` or its bodies read from.
template <class F>
void Graph::for_each_dependency(const Node& node, F&& f) const {
  const auto visit = [&](const Use& use) {
    if (use.value_ == nullptr) return;
    Node* const producer = use.value_->producer();
    if (producer != nullptr && producer->graph_ == this) f(*producer);
  };
  for (std::size_t i = 0; i < node.input_count_; ++i) visit(node.uses_[i]);
  for_each_capture(node, visit);
}

GRAFT_INLINE void Graph::link_before(Node& node, Node& next) {
  Node& prev = *next.prev_;
  const auto gap = [&] {
    const std::uint64_t lower = &prev == &end_ ? 0 : prev.key_;
    const std::uint64_t upper = &next == &end_ ? std::numeric_limits<std::uint64_t>::max() : next.key_;
    return upper - lower;
  };
  if (gap() < 2) relabel_around(&prev == &end_ ? next : prev);
  node.key_ = (&prev == &end_ ? 0 : prev.key_) + std::min(gap() / 2, std::uint64_t{1} << 32);
  node.prev_ = &prev;
  node.next_ = &next;
  prev.next_ = next.prev_ = &node;
}

GRAFT_INLINE void Graph::unlink(Node& node) {
  // The node keeps its pointers, so that an iteration at this node can go on.
  node.prev_->next_ = node.next_;
  node.next_->prev_ = node.prev_;
}

/// Spreads the keys of the smallest neighbourhood with enough room, once the gaps are used up.
GRAFT_INLINE void Graph::relabel_around(Node& node) {
  Node* first = &node;
  Node* last = &node;
  std::uint64_t count = 1;
  for (;;) {
    for (int step = 0; step < 32; ++step) {
      if (first->prev_ != &end_) first = first->prev_, ++count;
      if (last->next_ != &end_) last = last->next_, ++count;
    }
    const bool all = first->prev_ == &end_ && last->next_ == &end_;
    const std::uint64_t lower = first->prev_ == &end_ ? 0 : first->prev_->key_;
    const std::uint64_t upper =
        last->next_ == &end_ ? std::numeric_limits<std::uint64_t>::max() / 2 : last->next_->key_;
    const std::uint64_t step = upper > lower ? (upper - lower) / (count + 1) : 0;
    if (step < (std::uint64_t{1} << 16) && !all) continue;
    std::uint64_t key = lower;
    for (Node* at = first;; at = at->next_) {
      at->key_ = key += std::min(step, std::uint64_t{1} << 32);
      if (at == last) return;
    }
  }
}

/// Marks a part that the next commit must write. A rollback clears the mark, so an edit must call touch() before it
/// records its undo.
GRAFT_INLINE void Graph::touch(bool& changed) {
  if (changed) return;
  changed = true;
  journal().record(detail::Undo::Mark{&changed});
}

GRAFT_INLINE bool Graph::order(Node& producer, Node& user) {
  check_own(producer);
  if (&user != &end_) check_own(user);
  if (&producer == &user) return false;
  if (user.proto_ == nullptr || producer.key_ < user.key_) return true;
  // The ancestors of producer that are behind user must move before user. If user is among them, the edge closes a
  // cycle.
  std::vector<Node*> moving{&producer};
  std::unordered_set<const Node*> seen{&producer};
  bool cycle = false;
  for (std::size_t k = 0; k < moving.size() && !cycle; ++k) {
    for_each_dependency(*moving[k], [&](Node& dependency) {
      if (&dependency == &user) cycle = true;
      if (dependency.key_ > user.key_ && seen.insert(&dependency).second) moving.push_back(&dependency);
    });
  }
  if (cycle) return false;
  std::sort(moving.begin(), moving.end(), [](const Node* a, const Node* b) { return a->key_ < b->key_; });
  touch(nodes_changed_);
  for (Node* const node : moving) {
    Node* const next = node->following();
    unlink(*node);
    link_before(*node, user);
    journal().record(detail::Undo::MoveNode{node, next});
  }
  return true;
}

GRAFT_INLINE void Graph::sort_nodes() {
  if (!unsorted_) return;
  unsorted_ = false;
  store_->reordered = true;
  // Kahn's algorithm; among ready nodes the one that was first in the file comes first.
  std::unordered_map<const Node*, std::size_t> waiting;
  std::unordered_map<const Node*, std::vector<Node*>> waiters;
  const auto later = [](const Node* a, const Node* b) { return b->key_ < a->key_; };
  std::priority_queue<Node*, std::vector<Node*>, decltype(later)> ready(later);
  for (Node* node = end_.next_; node != &end_; node = node->next_) {
    std::size_t count = 0;
    for_each_dependency(*node, [&](Node& producer) {
      waiters[&producer].push_back(node);
      ++count;
    });
    if (count == 0) {
      ready.push(node);
    } else {
      waiting[node] = count;
    }
  }
  std::vector<Node*> sorted;
  sorted.reserve(node_count_);
  while (!ready.empty()) {
    Node* const node = ready.top();
    ready.pop();
    sorted.push_back(node);
    const auto found = waiters.find(node);
    if (found == waiters.end()) continue;
    for (Node* const waiter : found->second) {
      if (--waiting[waiter] == 0) ready.push(waiter);
    }
  }
  if (sorted.size() != node_count_) {
    for (Node* node = end_.next_; node != &end_; node = node->next_) {
      const auto found = waiting.find(node);
      if (found != waiting.end() && found->second != 0)
        throw Error("the graph has a cycle").node(display_name(*node->proto_)).field("input").file(store_->file);
    }
  }
  std::uint64_t key = 0;
  end_.prev_ = end_.next_ = &end_;
  for (Node* const node : sorted) {
    node->key_ = key += std::uint64_t{1} << 32;
    node->prev_ = end_.prev_;
    node->next_ = &end_;
    node->prev_->next_ = end_.prev_ = node;
  }
}

}  // namespace graft::inline v1
