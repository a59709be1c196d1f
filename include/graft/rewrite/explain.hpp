#pragma once
#include <concepts>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/explain.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// The effect of a rule at one node. Without a node, it concerns a misspelt operator in the rule.
struct RuleExplanation {
  Node* node = nullptr;  // nullptr: see above
  bool matched = false;
  bool applies = false;  // false after a match: the replacement was refused
  std::string text;      // "Conv 'c1': input 1 is ..."
  std::size_t matched_nodes = 0;  // before the failure; 1: only this node, so the rule was not meant for it
};

inline std::string to_string(const RuleExplanation& explanation) { return explanation.text; }
inline std::ostream& operator<<(std::ostream& out, const RuleExplanation& explanation) {
  return out << explanation.text;
}

/// Tries a rule at every possible root, bodies and functions included. Reports for each node what the rule expected and
/// what it found. The graph does not change.
std::vector<RuleExplanation> explain(const RuleView& rule, Graph& graph, Context& context);
template <rule_like R>
  requires(!std::same_as<R, RuleView>)
std::vector<RuleExplanation> explain(const R& rule, Graph& graph, Context& context) {
  return explain(rule.view(), graph, context);
}
template <rule_like R>
std::vector<RuleExplanation> explain(const R& rule, Graph& graph) {
  Context context;
  return explain(rule.view(), graph, context);
}

}  // namespace graft::inline v1
