#pragma once
#include <graft/transformer/fuse/batched_transpose.hpp>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/ints.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict transposes_each(const Value& whole, const Node& merged, const Node& split) {
  const Shape given = whole.shape(), batches = merged.output(0)->shape(), result = split.output(0)->shape();
  if (batches.rank() != 3 || result.rank() != 4) return Verdict::no("the ranks are not known, or others");
  // The number of matrices follows from that of all elements.
  if (!same_size(batches[1], given[2]) || !same_size(batches[2], given[3]))
    return Verdict::no("the matrices are others");
  const bool back = same_size(result[0], given[0]) && same_size(result[1], given[1]) &&
                    same_size(result[2], given[3]) && same_size(result[3], given[2]);
  return back ? Verdict::yes() : Verdict::no("the result has other axes");
}

inline constexpr auto batched_transpose = rule<"batched-transpose">(
    op<"Reshape">(
        op<"Transpose">(op<"Reshape">(x.rank(4), any).with(opt(any_allowzero)).as(inner)).with(perm == ints(0, 2, 1)),
        any)
        .with(opt(any_allowzero.named<"outer_allowzero">()))
        .as(outer),
    where(predicate<transposes_each>("")(x, inner, outer)), op<"Transpose">(x).with(perm = ints(0, 1, 3, 2)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView batched_transpose = vocabulary::batched_transpose.view();

}  // namespace graft::inline v1
