#pragma once
#include <graft/simplify/eliminate/concat_concat.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict is_read_by(const Node& producer, const Node& reader) {
  for (const Use& use : producer.output(0)->uses())
    if (use.user() != &reader) return Verdict::no("the inner Concat is also used elsewhere");
  return Verdict::yes();
}

inline constexpr auto concat_concat = rule<"concat-concat">(
    op<"Concat">(left, op<"Concat">(middle).with(axis).as(inner).shared(), right).with(axis).as(outer),
    where(predicate<is_read_by>("")(inner, outer)), outer(left, middle, right));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView concat_concat = vocabulary::concat_concat.view();

}  // namespace graft::inline v1
