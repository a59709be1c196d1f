#pragma once
#include <graft/lower/four_d/four_d_gather.hpp>

#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_gather() {
  return detail::surgery_of_nodes("four_d_gather", {"Gather"}, [](const detail::Surgery& at) {
    const Shape indices = at.shape(1);
    if (!indices.known()) return Verdict::no("the rank of its indices is not known");
    if (indices.rank() > 1) return Verdict::no("its indices are of rank 2 or more, which it adds to that of its data");
    const bool moves = at.node.attr<std::int64_t>("axis").value_or(0) == 1, drops = indices.rank() == 0;
    if (!moves && !drops) return Verdict::no("it keeps the rank already, and does not go along axis 1");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    if (moves) at.rewriter.set_attribute(at.node, {"axis", 2});
    if (!drops) return Verdict::yes();
    Value& index = *at.node.input(1);
    if (const std::optional<Tensor> constant = index.constant()) {
      at.give(1, constant->reshaped({1}));
    } else {
      at.rewriter.set_input(at.node.use(1), &at.op_with("Reshape", index, {{"shape", {1}}}, {}, "index"));
    }
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
