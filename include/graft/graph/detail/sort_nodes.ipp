#pragma once
// The topological order of nodes that a model has in another one.
#include <cstddef>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/order.ipp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Graph::sort_nodes() {
  if (!unsorted_) return;
  unsorted_ = false;
  store_->reordered = true;
  // Kahn's algorithm; among the nodes that are ready the one that stood first goes first.
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
