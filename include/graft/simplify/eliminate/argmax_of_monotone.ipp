#pragma once
#include <graft/simplify/eliminate/argmax_of_monotone.hpp>

#include <cstdint>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/attr_kind.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/non_negative.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto softmax_axis = axis.named<"softmax_axis">();

inline bool shares_divisor(const Node& softmax, std::int64_t over, std::int64_t along) {
  return softmax.opset() >= 13 ? over == along : over <= along;
}

inline bool rises(const Node& function) { return function.is("Exp") || is_non_negative(*function.input(0)); }

inline constexpr std::string_view index_of_ties = "the index where rounding makes ties";

inline constexpr auto argmax_of_monotone =
    rule<"argmax-of-monotone">(op<"ArgMax">(one_of<"Log", "Exp", "Sqrt">(x).as(inner)).as(outer),
                               where(predicate<rises>("numbers below 0 may make NaN")(inner)), outer(x))
        .changes_values(index_of_ties);

inline constexpr auto argmax_of_softmax =
    rule<"argmax-of-softmax">(
        op<"ArgMax">(one_of<"Softmax", "LogSoftmax">(x).with(softmax_axis).as(inner)).with(axis).as(outer),
        where(predicate<shares_divisor>("the ArgMax compares what is divided by different sums")(inner, softmax_axis,
                                                                                                 axis)),
        outer(x))
        .changes_values(index_of_ties);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView argmax_of_monotone = vocabulary::argmax_of_monotone.view();

GRAFT_INLINE constinit const RuleView argmax_of_softmax = vocabulary::argmax_of_softmax.view();

}  // namespace graft::inline v1
