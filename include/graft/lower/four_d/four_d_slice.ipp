#pragma once
#include <graft/lower/four_d/four_d_slice.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_slice(Ints axes) {
  return detail::surgery_of_nodes("four_d_slice", {"Slice"}, [from = std::move(axes)](const detail::Surgery& at) {
    const std::optional<Ints> given = at.given("axes");
    if (!given) return Verdict::no("its axes are not given, or not constant");
    if (given->size() != 1) return Verdict::no("it goes along several axes");
    if (std::find(from.begin(), from.end(), given->front()) == from.end())
      return Verdict::no("it goes along another axis than those that are to be the last");
    if (Verdict rank = at.reads_rank_4(); !rank) return rank;
    at.give("axes", {-1});
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
