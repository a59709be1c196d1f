#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/pattern/link.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1::detail {

/// The number of operators on the longest path up from a pattern's root, including the root.
inline std::size_t height(std::span<const PatternNode> rows) {
  constexpr std::size_t links = 16;  // how far changes in a chain(...) are followed
  std::size_t tallest = 0;
  std::vector<std::size_t> heights(rows.size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const PatternNode& row = rows[at];
    if (row.parent >= 0 && row.step != Step::root) heights[at] = heights[static_cast<std::size_t>(row.parent)];
    if (row.step == Step::op) ++heights[at];
    if (row.step == Step::chain) heights[at] += links;
    tallest = std::max(tallest, heights[at]);
  }
  return tallest;
}

/// Maps each operator to the rules whose root it may be, in their order.
class RuleIndex {
 public:
  RuleIndex(std::span<const RuleView> rules, Model& model, const Context& context) {
    for (const RuleView& rule : rules) {
      linked_.emplace_back(rule.before, model, context.arguments, rule.after);
      const std::span<const PatternNode> rows = rule.before.nodes;
      heights_.push_back(detail::height(rows));
      reach_ = std::max(reach_, heights_.back());
      widest_ = std::max(widest_, rows.size());
      for (const PatternNode& row : rows) {
        has_shared_ = has_shared_ || row.shared;
        has_roots_ = has_roots_ || row.step == Step::root;
      }
    }
    for (std::size_t i = 0; i < linked_.size(); ++i) {
      if (linked_[i].any_root()) anywhere_.push_back(i);
      for (const OpId op : linked_[i].root_ops()) by_op_.resize(std::max(by_op_.size(), position(op) + 1));
    }
    for (std::size_t op = 0; op < by_op_.size(); ++op) {
      for (std::size_t i = 0; i < linked_.size(); ++i)
        if (linked_[i].may_be_root(static_cast<OpId>(op))) by_op_[op].push_back(i);
      tallest_.push_back(tallest_of(by_op_[op]));
    }
    tallest_anywhere_ = tallest_of(anywhere_);
  }

  const Linked& linked(std::size_t rule) const { return linked_[rule]; }
  std::span<const std::size_t> rules_at(OpId op) const {
    return position(op) < by_op_.size() && !by_op_[position(op)].empty() ? by_op_[position(op)] : anywhere_;
  }
  /// False if the operator above the node differs from the first one that the rule looks for. Most rules fail there,
  /// and many may start at one operator. This test is much cheaper than the matcher.
  bool may_match(std::size_t rule, const Node& node) const {
    const Linked& linked = linked_[rule];
    const std::span<const PatternNode> rows = linked.pattern().nodes;
    constexpr std::size_t root = 0, first = 1;
    if (rows.size() <= first || rows[root].step != Step::op || rows[first].step != Step::op) return true;
    const std::size_t inputs = node.input_count();
    const std::size_t places = rows[root].commutative ? inputs : std::min<std::size_t>(inputs, 1);
    for (std::size_t i = 0; i < places; ++i) {
      const Value* const value = node.input(i);
      const Node* const producer = value == nullptr ? nullptr : value->producer();
      if (producer != nullptr && linked.accepts(first, producer->op())) return true;
    }
    return false;
  }
  /// Whether a change `distance` operators above a node of this kind may affect a rule there.
  bool sees(OpId op, std::size_t distance) const {
    const bool has_own = position(op) < by_op_.size() && !by_op_[position(op)].empty();
    return (has_own ? tallest_[position(op)] : tallest_anywhere_) > distance;
  }
  std::size_t height(std::size_t rule) const { return heights_[rule]; }
  /// The greatest height of the patterns.
  std::size_t reach() const { return reach_; }
  /// Whether a match may contain the value. A value with more uses is inside no match, unless a pattern allows shared
  /// values.
  bool may_be_inside(const Value& value) const { return has_shared_ || value.use_count() <= widest_; }
  bool has_roots() const { return has_roots_; }

 private:
  static std::size_t position(OpId op) { return static_cast<std::size_t>(op); }
  std::size_t tallest_of(std::span<const std::size_t> rules) const {
    std::size_t tallest = 0;
    for (const std::size_t rule : rules) tallest = std::max(tallest, heights_[rule]);
    return tallest;
  }

  std::vector<Linked> linked_;
  std::vector<std::size_t> heights_;
  std::vector<std::vector<std::size_t>> by_op_;
  std::vector<std::size_t> tallest_;  // heights among by_op_
  std::vector<std::size_t> anywhere_;
  std::size_t tallest_anywhere_ = 0, reach_ = 0, widest_ = 0;
  bool has_shared_ = false, has_roots_ = false;
};

}  // namespace graft::inline v1::detail
