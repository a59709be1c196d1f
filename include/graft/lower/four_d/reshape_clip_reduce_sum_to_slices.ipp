#pragma once
#include <graft/lower/four_d/reshape_clip_reduce_sum_to_slices.hpp>

#include <graft/config.hpp>
#include <graft/lower/detail/sums_of_parts.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass reshape_clip_reduce_sum_to_slices(std::size_t most) {
  return detail::sums_of_parts("reshape_clip_reduce_sum_to_slices", most, true);
}

}  // namespace graft::inline v1
