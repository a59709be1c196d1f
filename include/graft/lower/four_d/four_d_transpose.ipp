#pragma once
#include <graft/lower/four_d/four_d_transpose.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_transpose() {
  return detail::surgery_of_nodes("four_d_transpose", {"Transpose"}, [](const detail::Surgery& at) {
    const std::optional<Ints> perm = at.node.attr<Ints>("perm");
    if (!perm || perm->empty()) return Verdict::no("its perm is not given");
    if (perm->size() != 2 && perm->size() != 3) return Verdict::no("it does not move two or three axes");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    Ints moved;
    const auto ahead = static_cast<std::int64_t>(4 - perm->size());
    for (std::int64_t axis = 0; axis < ahead; ++axis) moved.push_back(axis);
    for (const std::int64_t axis : *perm) moved.push_back(axis + ahead);
    at.rewriter.set_attribute(at.node, {"perm", moved});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
