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

/// Operators that a rule matches with an attribute, and builds without it.
class LostAttributes {
 public:
  explicit LostAttributes(const RuleView& rule) : rule_(rule) {}

  /// One line for each problem; empty if there is none.
  std::string text() const;

 private:
  /// Whether `op` is one of the operators in `several`, joined by '|'.
  static bool names(std::string_view several, std::string_view op);

  bool is_written(const PatternNode& built, std::string_view name) const;

  /// Whether the pattern requires the value of an absent attribute, in every version of the operator.
  static bool is_default(std::string_view op, const PatternAttr& attr);

  RuleView rule_;
};

/// Operators that a rule removes whatever attributes they have; one line for each.
std::string unchecked_attributes(const RuleView& rule);

}  // namespace detail

/// Checks the names and attributes in a rule. The operators, their numbers of inputs, and their attributes with the
/// declared types must exist in some version of ONNX. New operators must have the attributes that their newest version
/// requires. A where(...) must check the attributes that any_attributes admits. Operators on both sides must keep their
/// attributes: one that is matched with an attribute must not be built without it. Unmentioned attributes have their
/// defaults in a match, and cloned operators keep theirs. A replacement that is a function cannot be checked.
template <rule_like R>
TestResult lint(const R& rule) {
  const std::string found = detail::UnknownWords(rule.view()).text() + detail::LostAttributes(rule.view()).text() +
                            detail::unchecked_attributes(rule.view());
  return found.empty() ? TestResult::pass() : TestResult::fail(found);
}

}  // namespace graft::inline v1
