#pragma once
#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/rewrite/detail/rule_index.hpp>
#include <graft/rewrite/edits.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// The nodes at which a rule may match, in rounds: the first has all of them, a later one those that an edit may matter
/// to. Within a round they are in topological order, scope after scope.
template <class = void>
class Worklist {
 public:
  Worklist(Graph& graph, const RuleIndex<>& index) : index_(&index) {
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
      touched_.erase(node);
      return node;
    }
    return nullptr;
  }
  std::size_t done() const { return at_; }
  std::size_t size() const { return round_.size(); }

  /// False if nothing was touched since its last visit.
  bool start_round() {
    round_.assign(touched_.begin(), touched_.end());
    touched_.clear();
    at_ = 0;
    const auto is_outside = [this](const Node* node) { return !is_alive(*node) || rank_.count(&node->graph()) == 0; };
    round_.erase(std::remove_if(round_.begin(), round_.end(), is_outside), round_.end());
    std::sort(round_.begin(), round_.end(), [this](const Node* a, const Node* b) {
      if (&a->graph() == &b->graph()) return a->before(*b);
      return rank_.at(&a->graph()) < rank_.at(&b->graph());
    });
    return !round_.empty();
  }

  /// Adds what a rewrite may matter to: what it made or changed, what feeds fewer users than before, and what reads
  /// these, as far down as patterns reach up.
  void touch(const Edits& edits) {
    std::vector<Node*> level, below;
    std::unordered_set<const Node*> seen;
    const auto add = [&](Node* node, std::vector<Node*>& to) {
      if (node != nullptr && is_alive(*node) && seen.insert(node).second) to.push_back(node);
    };
    for (Node* const node : edits.inserted) {
      add(node, level);
      add_bodies(*node, [&](Node& inner) { add(&inner, level); });
    }
    for (Node* const node : edits.changed) add(node, level);
    for (Value* const value : edits.freed)
      if (!value->erased() && index_->may_be_inside(*value)) add(value->producer(), level);
    if (index_->has_roots()) add_neighbours(level, add);
    for (std::size_t distance = 0; !level.empty(); ++distance) {
      for (Node* const node : level) {
        if (index_->sees(node->op(), distance)) touched_.insert(node);
        if (distance + 1 >= index_->reach()) continue;
        for (const Value& output : node->outputs()) {
          if (!index_->may_be_inside(output)) continue;
          for (const Use& use : output.uses()) add(use.user(), below);
        }
      }
      level = std::exchange(below, {});
    }
  }

 private:
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

  /// A pattern of several roots starts at the first one, which may lie beside what was touched.
  template <class F>
  void add_neighbours(std::vector<Node*>& level, F&& add) {
    std::size_t first = 0;
    for (std::size_t up = 0; up < index_->reach(); ++up) {
      const std::size_t last = level.size();
      for (; first < last; ++first) {
        for (Value* const value : level[first]->inputs()) {
          if (value == nullptr || !index_->may_be_inside(*value)) continue;
          for (const Use& use : value->uses()) add(use.user(), level);
          if (value->producer() != nullptr) add(value->producer(), level);
        }
      }
    }
  }

  const RuleIndex<>* index_;
  std::unordered_map<const Graph*, std::size_t> rank_;
  std::vector<Node*> round_;
  std::size_t at_ = 0;
  std::unordered_set<Node*> touched_;
};

}  // namespace graft::inline v1::detail
