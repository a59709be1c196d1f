#pragma once
#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/rewrite/detail/live_nodes.hpp>
#include <graft/rewrite/detail/rule_index.hpp>
#include <graft/rewrite/edits.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// The nodes at which a rule may match, in rounds. The first round has all nodes; a later one has the nodes that edits
/// may affect. A round is in topological order, scope after scope.
class Worklist {
 public:
  Worklist(Graph& graph, const RuleIndex& index) : index_(&index) {
    for (Graph* const scope : scopes_of(graph)) {
      rank_.emplace(scope, rank_.size());
      for (Node& node : scope->nodes())
        if (!index.rules_at(node.op()).empty()) round_.push_back(&node);
    }
  }

  /// The next node; nullptr at the end of a round.
  Node* next() {
    while (at_ < round_.size()) {
      Node* const node = round_[at_++];
      if (!is_alive(*node)) continue;
      touched_.erase(*node);
      return node;
    }
    return nullptr;
  }
  std::size_t done() const { return at_; }
  std::size_t size() const { return round_.size(); }

  /// Starts the next round. Returns false if no node was touched in the last one.
  bool start_round() {
    round_.clear();
    touched_.for_each([this](Node& node) {
      if (is_alive(node) && rank_.count(&node.graph()) != 0) round_.push_back(&node);
    });
    touched_.clear();
    at_ = 0;
    std::sort(round_.begin(), round_.end(), [this](const Node* a, const Node* b) {
      if (&a->graph() == &b->graph()) return a->before(*b);
      return rank_.at(&a->graph()) < rank_.at(&b->graph());
    });
    return !round_.empty();
  }

  /// Adds nodes that a rewrite may affect: new and changed nodes, producers with fewer readers, and their descendants
  /// within the height of the patterns.
  void touch(const Edits& edits) {
    reached_.clear();
    is_reached_.clear();
    for (Node* const node : edits.inserted) {
      reach(node);
      add_bodies(*node, [this](Node& inner) { reach(&inner); });
    }
    for (Node* const node : edits.changed) reach(node);
    for (Value* const value : edits.freed)
      if (!value->erased() && index_->may_be_inside(*value)) reach(value->producer());
    if (index_->has_roots()) reach_neighbours();
    std::size_t at = 0;
    for (std::size_t distance = 0; at < reached_.size(); ++distance) {
      for (const std::size_t end = reached_.size(); at < end; ++at) {
        Node& node = *reached_[at];
        if (index_->sees(node.op(), distance)) touched_.insert(node);
        if (distance + 1 >= index_->reach()) continue;
        for (const Value& output : node.outputs()) {
          if (!index_->may_be_inside(output)) continue;
          for (const Use& use : output.uses()) reach(use.user());
        }
      }
    }
  }

 private:
  struct Nothing {};

  void reach(Node* node) {
    if (node != nullptr && is_alive(*node) && is_reached_.insert(*node).second) reached_.push_back(node);
  }

  template <class F>
  void add_bodies(Node& node, F&& f) {
    std::vector<Node*> open{&node};
    while (!open.empty()) {
      Node* const owner = open.back();
      open.pop_back();
      for (const Body& body : owner->bodies()) {
        rank_.emplace(body.graph, rank_.size());
        for (Node& inner : body.graph->nodes()) {
          f(inner);
          open.push_back(&inner);
        }
      }
    }
  }

  /// Adds first roots beside touched nodes: a pattern of several roots starts at the first one.
  void reach_neighbours() {
    std::size_t first = 0;
    for (std::size_t up = 0; up < index_->reach(); ++up) {
      const std::size_t last = reached_.size();
      for (; first < last; ++first) {
        for (Value* const value : reached_[first]->inputs()) {
          if (value == nullptr || !index_->may_be_inside(*value)) continue;
          for (const Use& use : value->uses()) reach(use.user());
          reach(value->producer());
        }
      }
    }
  }

  const RuleIndex* index_;
  std::unordered_map<const Graph*, std::size_t> rank_;
  std::vector<Node*> round_;
  std::size_t at_ = 0;
  LiveNodes<Nothing> touched_;
  std::vector<Node*> reached_;  // by the current edits
  LiveNodes<Nothing> is_reached_;
};

}  // namespace graft::inline v1::detail
