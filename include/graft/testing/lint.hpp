#pragma once
#include <string>
#include <string_view>

#include <graft/graph/schema.hpp>
#include <graft/pattern/table.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/testing/detail/unknown_words.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

namespace detail {

/// Operators that a rule looks for with an attribute, and puts there without it.
class LostAttributes {
 public:
  explicit LostAttributes(const RuleView& rule) : rule_(rule) {}

  /// A line for each; empty if there is none.
  std::string text() const;

 private:
  /// Whether one of the operators in `several`, joined by '|', is `op`.
  static bool names(std::string_view several, std::string_view op);

  bool is_written(const PatternNode& built, std::string_view name) const;

  /// Whether the pattern demands what an absent attribute means, in every version of the operator.
  static bool is_default(std::string_view op, const PatternAttr& attr);

  RuleView rule_;
};

/// Operators that are dropped whatever attributes they have; a line for each.
std::string unchecked_attributes(const RuleView& rule);

}  // namespace detail

/// Whether what a rule names exists in some version of ONNX: its operators, as many inputs as it gives them, their
/// attributes, of the types that it declares. Whether new operators have the attributes that their newest version
/// requires, and whether a where(...) checks what any_attributes lets in. And whether it keeps the attributes of the
/// operators that stand on both of its sides: one that it looks for with an attribute, and puts there again without it,
/// has lost it. Attributes that the pattern does not mention have their defaults already, and one that is cloned keeps
/// its own. A replacement that is a function cannot be looked into.
template <rule_like R>
TestResult lint(const R& rule) {
  const std::string found = detail::UnknownWords(rule.view()).text() + detail::LostAttributes(rule.view()).text() +
                            detail::unchecked_attributes(rule.view());
  return found.empty() ? TestResult::pass() : TestResult::fail(found);
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/lint.ipp>
#endif
