#pragma once
#include <concepts>
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

/// What a rule would do at one node. Without a node, it is about the rule itself, which has a misspelt operator.
struct RuleExplanation {
  Node* node = nullptr;
  bool matched = false;
  bool applies = false;  // false for a match: the replacement is refused
  std::string text;      // "Conv 'c1': input 1 of ..."
};

inline std::string to_string(const RuleExplanation& explanation) { return explanation.text; }
inline std::ostream& operator<<(std::ostream& out, const RuleExplanation& explanation) {
  return out << explanation.text;
}

/// Tries a rule at every node that may be its root, bodies and functions included, and says what was wanted and what
/// was there. The graph stays as it is.
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

#ifndef GRAFT_COMPILED
#include <graft/rewrite/detail/explain_rule.ipp>
#endif
