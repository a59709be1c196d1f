#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/detail/pass_misuse.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/preserved.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// A condition on the root of a rule. It may use facts of the Context, which patterns cannot see.
using NodeCondition = std::function<Verdict(const Node& root, const Context& context)>;

namespace detail {

/// Rules with their driver: fixpoint or sweep.
class RuleSet {
 public:
  RuleSet(std::string_view driver, std::vector<RuleView> rules, bool repeats, NodeCondition condition = {});

  std::string_view name() const { return name_; }
  Report run(Graph& graph, Context& context) const;
  /// All facts, unless a rule declares changes_values().
  Preserved preserved() const;

 private:
  std::vector<RuleView> rules_;
  bool repeats_;
  NodeCondition condition_;
  std::string name_, note_;
};

template <class... T>
inline constexpr bool are_rules = sizeof...(T) > 0 && (rule_like<std::remove_cvref_t<T>> && ...);

/// Whether the pack is a single type that converts to To.
template <class To, class... T>
inline constexpr bool is_one = false;
template <class To, class T>
inline constexpr bool is_one<To, T> = std::is_convertible_v<T, To>;

template <class... R>
std::vector<RuleView> views(R&&... rules) {
  static_assert((std::is_lvalue_reference_v<R> && ...),
                "graft: a rule must be a named object, preferably inline constexpr: a driver holds a view of it");
  return {rules.view()...};
}

}  // namespace detail

/// Applies rules until none matches. It tries each node in topological order, and again after an edit that may affect
/// it. At each node the first matching rule applies. Use it for rules that shrink the graph, or that lead to a form
/// which no rule matches. Throws Error if rules certainly undo each other. Rules that undo each other at run time end
/// in Outcome::oscillates.
template <class... R>
  requires detail::are_rules<R...>
Pass fixpoint(R&&... rules) {
  return Pass(detail::RuleSet("fixpoint", detail::views(std::forward<R>(rules)...), true));
}
/// Rejects other arguments at compile time, with the reason.
template <class... T>
  requires(!detail::are_rules<T...> && !detail::is_one<Pass, T...> && !detail::is_one<std::vector<RuleView>, T...>)
Pass fixpoint(T&&...) {
  if constexpr (sizeof...(T) == 1 && (detail::meant_as_pass<std::remove_cvref_t<T>> && ...))
    (detail::refuse_as_pass<std::remove_cvref_t<T>>(), ...);
  else
    static_assert(detail::are_rules<T...>, "graft: fixpoint() takes rules, or one pass: first | second is one");
  return Pass(detail::RuleSet("fixpoint", {}, true));
}
inline Pass fixpoint(std::vector<RuleView> rules) { return Pass(detail::RuleSet("fixpoint", std::move(rules), true)); }

/// Applies rules in one pass over the present nodes, and does not revisit new nodes. Use it for lowerings.
template <class... R>
  requires detail::are_rules<R...>
Pass sweep(R&&... rules) {
  return Pass(detail::RuleSet("sweep", detail::views(std::forward<R>(rules)...), false));
}
/// Rejects other arguments at compile time, with the reason.
template <class... T>
  requires(!detail::are_rules<T...> && !detail::is_one<std::vector<RuleView>, T...>)
Pass sweep(T&&...) {
  static_assert(detail::are_rules<T...>, "graft: sweep() takes rules");
  return Pass(detail::RuleSet("sweep", {}, false));
}
inline Pass sweep(std::vector<RuleView> rules) { return Pass(detail::RuleSet("sweep", std::move(rules), false)); }

/// A driver that applies a rule only if it matches and the condition holds. The condition is checked last, in bodies
/// and functions too. Its reason becomes the reason of the refusal.
template <class... R>
Pass fixpoint_where(NodeCondition condition, R&&... rules) {
  static_assert(detail::are_rules<R...>, "graft: fixpoint_where() takes a condition, then rules");
  if constexpr (detail::are_rules<R...>)
    return Pass(detail::RuleSet("fixpoint", detail::views(std::forward<R>(rules)...), true, std::move(condition)));
  return Pass(detail::RuleSet("fixpoint", {}, true));
}
template <class... R>
Pass sweep_where(NodeCondition condition, R&&... rules) {
  static_assert(detail::are_rules<R...>, "graft: sweep_where() takes a condition, then rules");
  if constexpr (detail::are_rules<R...>)
    return Pass(detail::RuleSet("sweep", detail::views(std::forward<R>(rules)...), false, std::move(condition)));
  return Pass(detail::RuleSet("sweep", {}, false));
}

}  // namespace graft::inline v1
