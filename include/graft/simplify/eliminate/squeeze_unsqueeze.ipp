#pragma once
#include <graft/simplify/eliminate/squeeze_unsqueeze.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool are_same_axes(Ints first, Ints second) {
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  return first == second && !first.empty();
}

inline constexpr auto back_again = predicate<are_same_axes>("the axes differ");

inline constexpr auto squeeze_unsqueeze = rule<"squeeze-unsqueeze">(
    op<"Squeeze">(op<"Unsqueeze">(x).with(inner_axes).shared()).with(axes), where(back_again(inner_axes, axes)), x);

inline constexpr auto unsqueeze_squeeze = rule<"unsqueeze-squeeze">(
    op<"Unsqueeze">(op<"Squeeze">(x).with(inner_axes).shared()).with(axes), where(back_again(inner_axes, axes)), x);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView squeeze_unsqueeze = vocabulary::squeeze_unsqueeze.view();

GRAFT_INLINE constinit const RuleView unsqueeze_squeeze = vocabulary::unsqueeze_squeeze.view();

}  // namespace graft::inline v1
