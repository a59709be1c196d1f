#pragma once
#include <graft/lower/div.hpp>

#include <graft/config.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto reciprocal_mul_to_div =
    rule<"reciprocal-mul-to-div">(comm<"Mul">(op<"Reciprocal">(x).shared(), y), op<"Div">(y, x))
        .changes_values("by one rounding");

}  // namespace rules

GRAFT_INLINE constinit const RuleView reciprocal_mul_to_div = rules::reciprocal_mul_to_div.view();

GRAFT_INLINE Pass reciprocal_muls_to_divs() {
  return on_typed_graph("reciprocal_muls_to_divs", sweep(reciprocal_mul_to_div));
}

}  // namespace graft::inline v1
