#pragma once
#include <graft/simplify/fold/constant_if.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto condition = cst<"condition">.scalar().dtype(DType::boolean);

inline constexpr auto constant_if =
    rule<"constant-if">(op<"If">(condition).as(outer), [](const auto& m, Rewriter& rewriter) {
      const bool holds = m[condition].constant()->template item<bool>();
      return rewriter.inline_body(m[outer], holds ? "then_branch" : "else_branch");
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView constant_if = vocabulary::constant_if.view();

}  // namespace graft::inline v1
