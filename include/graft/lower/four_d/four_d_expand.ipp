#pragma once
#include <graft/lower/four_d/four_d_expand.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass four_d_expand() {
  return detail::surgery_of_nodes("four_d_expand", {"Expand"}, [](const detail::Surgery& at) {
    std::optional<Ints> shape = at.given("shape");
    if (!shape) return Verdict::no("its shape is not constant");
    if (shape->size() != 3) return Verdict::no("its shape has not three entries");
    shape->insert(shape->begin(), 1);
    at.give("shape", *shape);
    return Verdict::yes();
  });
}

}  // namespace graft::inline v1
