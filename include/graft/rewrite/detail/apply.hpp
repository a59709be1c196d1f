#pragma once
#include <string>
#include <vector>

#include <graft/pattern/matcher.hpp>
#include <graft/rewrite/detail/replacement.hpp>
#include <graft/rewrite/provenance.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1::detail {

inline std::string names_of(const Matcher& found) {
  std::string names;
  for (const auto& matched : found.state().nodes) {
    if (matched.node->name().empty()) continue;
    if (!names.empty()) names += ", ";
    names += matched.node->name();
  }
  return names;
}

/// Applies a rule to a match, and erases matched nodes that become unused. The caller accepts the edits, or rolls them
/// back if the verdict is no.
inline Verdict apply(const RuleView& rule, const Matcher& found, Rewriter& rewriter) try {
  rewriter.rollback();
  rewriter.intend(rule.intent);
  rewriter.at(*found.state().roots.front());
  const std::string origins = rewriter.context().provenance ? names_of(found) : "";
  const Verdict done = rule.apply != nullptr ? rule.apply(rule.rule, found, rewriter)
                                             : Replacement(rule, found, rewriter).run();
  if (!done) return done;
  if (!rewriter.problem()) return rewriter.problem();
  if (rewriter.edits().empty())
    return Verdict::no(Reason{"the rule returned yes, but changed nothing", no_edit, {}, 0});
  std::vector<Node*> matched;
  for (const auto& node : found.state().nodes) matched.push_back(node.node);
  rewriter.erase_unused(matched);
  if (rewriter.context().provenance) {
    for (Node* const node : rewriter.edits().inserted)
      if (!node->erased()) write_provenance(*node, rule.name(), origins);
  }
  return rewriter.problem();
} catch (const UnreadableTensor&) {
  return Verdict::no({"a constant that the replacement asks for cannot be read", "unreadable", {}, 0});
}

}  // namespace graft::inline v1::detail
