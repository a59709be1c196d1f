#pragma once
#include <graft/lower/four_d/four_d_reshape.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_reshape() {
  return detail::surgery_of_nodes("four_d_reshape", {"Reshape"}, [](const detail::Surgery& at) {
    const std::optional<Ints> shape = at.given("shape");
    if (!shape) return Verdict::no("its shape is not constant");
    if (shape->size() != 3) return Verdict::no("its shape has not three entries");
    Ints longer = *shape;
    if (at.node.attr<std::int64_t>("allowzero").value_or(0) != 0) {
      longer.insert(longer.begin(), 1);  // a 0 is an extent as any other
    } else {
      const auto first = std::find_if(longer.begin(), longer.end(), [](std::int64_t entry) { return entry != 0; });
      const bool copies = std::find(longer.begin(), longer.end(), 0) != longer.end();
      if (Verdict rank = at.reads_rank_4(); copies && !rank) return rank;
      longer.insert(first, first == longer.end() ? 0 : 1);
    }
    at.give("shape", longer);
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
