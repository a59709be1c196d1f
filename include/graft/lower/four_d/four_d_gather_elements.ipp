#pragma once
#include <graft/lower/four_d/four_d_gather_elements.hpp>

#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_gather_elements() {
  return detail::surgery_of_nodes("four_d_gather_elements", {"GatherElements"}, [](const detail::Surgery& at) {
    const std::optional<Tensor> indices =
        at.node.input(1) != nullptr ? at.node.input(1)->constant() : std::optional<Tensor>();
    if (!indices) return Verdict::no("its indices are not constant");
    if (indices->rank() == 0) {
      if (at.shape(0).known() && at.shape(0).rank() != 1) return Verdict::no("its data are not of rank 1");
      at.give(1, indices->reshaped({1}));
      return Verdict::yes();
    }
    if (indices->rank() != 3) return Verdict::no("its indices are not of rank 3");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    Dims dims = indices->dims();
    dims.insert(dims.begin(), 1);
    at.give(1, indices->reshaped(dims));
    const std::int64_t axis = at.node.attr<std::int64_t>("axis").value_or(0);
    if (axis >= 0) at.rewriter.set_attribute(at.node, {"axis", axis + 1});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
