#pragma once
#include <graft/qdq/range.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE void check_order(const Range& range) {
  if (range.empty() && range != Range()) throw Error("its min is above its max");
}

}  // namespace detail

}  // namespace graft::inline v1
