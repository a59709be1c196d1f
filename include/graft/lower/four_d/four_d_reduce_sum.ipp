#pragma once
#include <graft/lower/four_d/four_d_reduce_sum.hpp>

#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_reduce_sum() {
  return detail::surgery_of_nodes("four_d_reduce_sum", {"ReduceSum"}, [](const detail::Surgery& at) {
    const std::optional<Ints> axes = at.given("axes");
    const bool is_empty = at.is_absent("axes") || (axes && axes->empty());
    if (is_empty && at.node.attr<std::int64_t>("noop_with_empty_axes").value_or(0) != 0)
      return Verdict::no("it sums over nothing");
    const bool moves = axes == Ints{1}, drops = at.node.attr<std::int64_t>("keepdims").value_or(1) == 0;
    if (!moves && !drops) return Verdict::no("it keeps its axes already, and does not sum over axis 1");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    if (moves) at.give("axes", {2});
    if (drops) at.rewriter.set_attribute(at.node, {"keepdims", 1});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
