#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/pattern/explain.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/rewrite/detail/apply.hpp>
#include <graft/rewrite/detail/misspelt_operators.hpp>
#include <graft/rewrite/explain.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<RuleExplanation> explain(const RuleView& rule, Graph& graph, Context& context) {
  const Linked linked(rule.before, graph.model(), context.arguments, rule.after);
  Matcher matcher;
  Rewriter rewriter(graph, context);
  std::vector<RuleExplanation> all;
  for (std::string& sentence : detail::misspelt_operators({&rule, 1}, graph))
    all.push_back({.text = std::move(sentence)});
  for (Graph* const scope : scopes_of(graph)) {
    for (Node& node : scope->nodes()) {
      if (!linked.may_be_root(node.op())) continue;
      RuleExplanation& one = all.emplace_back();
      one.node = &node;
      one.matched = matcher.run(linked, node);
      one.matched_nodes = one.matched ? matcher.state().nodes.size() : matcher.state().best.matched;
      std::string why = one.matched ? "applies" : explain(rule.before, matcher.state().best, &node);
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

}  // namespace graft::inline v1
