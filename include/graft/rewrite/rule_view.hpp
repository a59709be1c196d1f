#pragma once
#include <concepts>
#include <string_view>

#include <graft/graph/verdict.hpp>
#include <graft/pattern/table.hpp>
#include <graft/rewrite/intent.hpp>

namespace graft::inline v1 {

class Matcher;
class Rewriter;

/// A rule without its types: a view of a rule, which must outlive it.
struct RuleView {
  /// Applies a replacement that is a function to a match.
  using Apply = Verdict (*)(const void* rule, const Matcher& found, Rewriter& rewriter);

  RulePattern before{};
  RulePattern after{};  // no rows if the replacement is a function
  const void* rule = nullptr;
  Apply apply = nullptr;
  Intent intent{};

  std::string_view name() const { return before.name; }
  RuleView view() const { return *this; }
};

/// A rule of any types.
template <class R>
concept rule_like = requires(const R& rule) {
  { rule.view() } -> std::same_as<RuleView>;
};

}  // namespace graft::inline v1
