#pragma once
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  If(condition) {then_branch, else_branch}
// After:   the nodes of the branch that is taken
//
// The condition is a constant of one element. What the branch holds gets fresh names; its outputs take over from those
// of the If.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto condition = cst<"condition">.scalar().dtype(DType::boolean);

inline constexpr auto constant_if =
    rule<"constant-if">(op<"If">(condition).as(outer), [](const auto& m, Rewriter& rewriter) {
      const bool holds = m[condition].constant()->template item<bool>();
      return rewriter.inline_body(m[outer], holds ? "then_branch" : "else_branch");
    });

}  // namespace detail::simplification

using detail::simplification::constant_if;

}  // namespace graft::inline v1
