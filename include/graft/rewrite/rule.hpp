#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/assign_slots.hpp>
#include <graft/pattern/bindings.hpp>
#include <graft/pattern/bound.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/pattern/roots.hpp>
#include <graft/pattern/table.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/detail/pass_misuse.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// A pattern, and its replacement: another pattern, or a function.
template <class Before, std::size_t Conditions, class After, class C>
struct Rule {
  std::string_view title{};
  Before before{};
  std::array<CheckRow, Conditions> conditions{};
  After after{};
  Intent intent{};

  std::string_view name() const { return title; }

  /// Declares that values may differ, by as much as `bound` says in words.
  constexpr Rule changes_values(std::string_view bound) const {
    Rule changed = *this;
    changed.intent.values = bound;
    return changed;
  }
  constexpr Rule changes_shapes() const {
    Rule changed = *this;
    changed.intent.shapes = true;
    return changed;
  }
  /// Declares that names, number or order of graph inputs and outputs may change.
  constexpr Rule changes_signature() const {
    Rule changed = *this;
    changed.intent.signature = true;
    return changed;
  }

  /// Rejects a rule in place of its driver at compile time, with the advice.
  template <class... T>
  void run(T&&...) const {
    detail::refuse_as_pass<Rule>();
  }

  constexpr RuleView view() const {
    RuleView rule;
    rule.before = {title, before.nodes, before.attrs, before.words, conditions, C::ids, true};
    rule.rule = this;
    rule.intent = intent;
    if constexpr (pattern<After>) {
      rule.after = {title, after.nodes, after.attrs, after.words, {}, C::ids, false};
    } else {
      rule.apply = [](const void* self, const Matcher& found, Rewriter& rewriter) -> Verdict {
        return static_cast<const Rule*>(self)->call(Bindings<C>(found.state()), rewriter);
      };
    }
    return rule;
  }

 private:
  Verdict call(const Bindings<C>& found, Rewriter& rewriter) const {
    using R = std::invoke_result_t<const After&, const Bindings<C>&, Rewriter&>;
    if constexpr (std::same_as<R, Verdict>) {
      return after(found, rewriter);
    } else {
      static_assert(std::same_as<R, Value&> || std::same_as<R, Node&>,
                    "graft: the function of a rule returns a Verdict, or the Value& or Node& that replaces the root");
      if constexpr (std::same_as<R, Value&>) {
        Value* const successor = &after(found, rewriter);
        return rewriter.replace(found.root(), std::span(&successor, 1));
      } else {
        std::vector<Value*> successors;
        for (Value& output : after(found, rewriter).outputs()) successors.push_back(&output);
        return rewriter.replace(found.root(), successors);
      }
    }
  }
};

namespace detail {

template <class P>
inline constexpr std::size_t root_count = 1;
template <class P>
  requires requires { P::root_count; }
inline constexpr std::size_t root_count<P> = P::root_count;

/// Checks that do not depend on the replacement's types, compiled once for all rules.
constexpr void check_built(std::span<const PatternNode> rows, std::size_t roots) {
  for (const PatternNode& row : rows) {
    const bool captures_nothing = (row.step == Step::value || row.step == Step::rest) && row.slot < 0;
    if (captures_nothing) raise(Error("graft: the replacement contains any or rest<>, which capture nothing"));
  }
  if (roots > 1 && rows[0].step != Step::outputs)
    raise(Error("graft: several roots are replaced by outputs(...), one for each"));
}

constexpr void check_root(const PatternNode& row) {
  const bool is_operator = row.step == Step::op || row.step == Step::chain || row.step == Step::either;
  if (!is_operator) raise(Error("graft: a rule looks for an operator, not for a value alone"));
}

}  // namespace detail

template <FixedString Name>
struct RuleFront {
  template <pattern Before, std::size_t K, class D, pattern After>
  constexpr auto operator()(const Before& before, const Where<K, D>& where, const After& after) const {
    using B = typename Before::captures;
    using A = typename After::captures;
    detail::check_looked_for<B>();
    detail::check_conditions<B, D>();
    detail::check_replacement<B, A>();
    using C = detail::SlotCaptures<B, D, A>;
    Rule<Before, K, After, C> rule{Name.view(), before, where.rows, after, {}};
    detail::assign_slots(detail::table_of(rule.after), C::ids);
    if constexpr (detail::misused<B, A>().what == detail::Misuse::none)  // else there is no slot
      detail::check_built(rule.after.nodes, detail::root_count<Before>);
    finish<C>(rule);
    detail::mark_reemitted(rule.before.nodes, rule.after.nodes);
    return rule;
  }
  template <pattern Before, std::size_t K, class D, class Function>
    requires(!pattern<Function>)
  constexpr auto operator()(const Before& before, const Where<K, D>& where, const Function& function) const {
    using B = typename Before::captures;
    detail::check_looked_for<B>();
    detail::check_conditions<B, D>();
    using C = detail::SlotCaptures<B, D>;
    static_assert(std::invocable<const Function&, const Bindings<C>&, Rewriter&>,
                  "graft: the function of a rule takes (const auto& m, Rewriter& rewriter)");
    Rule<Before, K, Function, C> rule{Name.view(), before, where.rows, function, {}};
    finish<C>(rule);
    detail::mark_captured_reemitted(rule.before.nodes);
    return rule;
  }
  template <pattern Before, class After>
  constexpr auto operator()(const Before& before, const After& after) const {
    return (*this)(before, Where<0, Captures<>>{}, after);
  }
  template <pattern Before, std::size_t K = 0, class D = Captures<>>
  constexpr auto operator()(const Before& before, const Where<K, D>& = {}) const {
    static_assert(!pattern<Before>, "graft: a rule needs a replacement: another pattern, or a function");
    return before;
  }

 private:
  template <class C, class R>
  static constexpr void finish(R& rule) {
    static_assert(!detail::is_leaf<decltype(R::before)>, "graft: a rule looks for an operator, not for a value alone");
    detail::assign_slots(detail::table_of(rule.before), C::ids);
    detail::assign_slots(rule.conditions, C::ids);
    if constexpr (!detail::is_leaf<decltype(R::before)>) detail::check_root(rule.before.nodes[0]);
  }
};

/// Makes a rule: rule<"name">(before, after) or rule<"name">(before, where(...), after). `after` is a pattern over the
/// captures of `before`, or a function (const auto& m, Rewriter&). The function edits, and returns a Verdict or the
/// replacement of the root. A rule should be an inline constexpr object, because drivers hold a view of it.
template <FixedString Name>
inline constexpr RuleFront<Name> rule{};

}  // namespace graft::inline v1
