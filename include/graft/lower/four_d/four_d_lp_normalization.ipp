#pragma once
#include <graft/lower/four_d/four_d_lp_normalization.hpp>

#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_lp_normalization() {
  return detail::surgery_of_nodes("four_d_lp_normalization", {"LpNormalization"}, [](const detail::Surgery& at) {
    if (at.node.attribute("axis") == nullptr || at.node.attr<std::int64_t>("axis") == -1)
      return Verdict::no("it goes along the last axis already");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    at.rewriter.set_attribute(at.node, {"axis", -1});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
