#pragma once
#include <graft/lower/score_factor.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/attention_scores.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline bool scales_scores(const Node& node) { return !vocabulary::nodes_to_softmax(node).empty(); }
inline bool scales_floats(const Value& query, const Tensor& factor) {
  return is_known(query.dtype()) && is_float(query.dtype()) && vocabulary::adds_no_axis(query, factor);
}

inline constexpr auto of_scores = predicate<scales_scores>("no Softmax follows");
inline constexpr auto of_floats = predicate<scales_floats>("its floats are not known, or its factor adds an axis");

inline constexpr auto score_mul_to_query =
    rule<"score-mul-to-query">(comm<"Mul">(op<"MatMul">(x, y).as(inner), c.scalar()).as(outer).since(7),
                               where(of_scores(outer), of_floats(x, c)), inner(outer(x, c), y));

inline constexpr auto score_div_to_query =
    rule<"score-div-to-query">(op<"Div">(op<"MatMul">(x, y).as(inner), c.scalar()).as(outer).since(7),
                               where(of_scores(outer), of_floats(x, c)), inner(outer(x, c), y));

}  // namespace rules

GRAFT_INLINE constinit const RuleView score_mul_to_query = rules::score_mul_to_query.view();
GRAFT_INLINE constinit const RuleView score_div_to_query = rules::score_div_to_query.view();

GRAFT_INLINE Pass score_factors_to_queries() {
  return on_typed_graph("score_factors_to_queries", sweep(score_mul_to_query, score_div_to_query));
}

}  // namespace graft::inline v1
