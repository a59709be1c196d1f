#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/table.hpp>
#include <graft/testing/detail/grow/graph_grower.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

namespace graft::inline v1::detail {

/// Adds nodes that a pattern matches to a graph: its operators over present values, with constants and attributes that
/// fit. Meets further predicates by trial.
class PatternGrower {
 public:
  PatternGrower(GraphGrower& grower, const RulePattern& pattern) : grower_(&grower), pattern_(pattern) {}

  /// Whether the pattern matches the added nodes. If not, the last attempt stays, because it nearly matches; or
  /// nothing, if no attempt was a valid graph.
  bool add(std::size_t attempts);

 private:
  const PatternNode& row(std::size_t at) const { return pattern_.nodes[at]; }
  /// The value of this row; nullptr for an omitted operand. Throws Unfit.
  Value* build(std::size_t at);
  Node& build_operator(std::size_t at);
  Value* build_chain(std::size_t at);
  /// A random row of the alternatives of opt and either; 0 if the operand is omitted.
  std::size_t choose(std::size_t at);
  /// leaves: the row of each operand that is a value or a constant, for settle_leaves(); 0 for others.
  void add_operands(NodeMaker& node, std::size_t at, std::vector<std::size_t>& leaves);
  void settle_leaves(NodeMaker& node, const std::vector<std::size_t>& leaves) const;
  NodeOperand leaf(std::size_t at) const;
  void say_attributes(NodeMaker& node, std::size_t at) const;
  void remember_attributes(const Node& node, std::size_t at);
  bool bind(std::size_t at, Value* value);

  /// Whether the pattern matches, now or after changing one of the constants.
  bool matches_with_other_constants(Node& root);

  GraphGrower* grower_;
  RulePattern pattern_;
  std::map<std::int16_t, Value*> values_;
  std::map<std::int16_t, Node*> nodes_;
  std::map<std::int16_t, Attribute> attributes_;
  std::vector<Value*> constants_;
  Node* root_ = nullptr;
};

}  // namespace graft::inline v1::detail
