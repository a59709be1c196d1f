#pragma once
#include <graft/simplify/eliminate/where_not.hpp>

#include <graft/config.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto where_not =
    rule<"where-not">(op<"Where">(op<"Not">(selector), x, y).as(outer), outer(selector, y, x));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView where_not = vocabulary::where_not.view();

}  // namespace graft::inline v1
