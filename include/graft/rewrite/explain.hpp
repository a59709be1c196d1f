#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/pattern/explain.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/rewrite/detail/apply.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

/// What a rule would do at one node.
struct RuleExplanation {
  Node* node = nullptr;
  bool matched = false;
  bool applies = false;  // false for a match: the replacement is refused
  std::string text;      // "Conv 'c1': input 1 of ..."
};

/// Tries a rule at every node that may be its root, bodies and functions included, and says what was wanted and what
/// was there. The graph stays as it is.
template <class = void>
std::vector<RuleExplanation> explain(const RuleView& rule, Graph& graph, Context& context) {
  const Linked linked(rule.before, graph.model(), context.arguments, rule.after);
  Matcher matcher;
  Rewriter rewriter(graph, context);
  std::vector<RuleExplanation> all;
  for (Graph* const scope : scopes_of(graph)) {
    for (Node& node : scope->nodes()) {
      if (!linked.may_be_root(node.op())) continue;
      RuleExplanation& one = all.emplace_back();
      one.node = &node;
      one.matched = matcher.run(linked, node);
      std::string why = one.matched ? "applies" : explain(rule.before, matcher.state().best);
      if (one.matched) {
        const Verdict done = detail::apply(rule, matcher, rewriter);
        rewriter.rollback();
        one.applies = static_cast<bool>(done);
        if (!done) why = to_string(done.reason());
      }
      one.text = detail::describe(node) + ": " + why;
    }
  }
  return all;
}
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
