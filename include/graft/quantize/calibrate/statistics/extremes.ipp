#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Extremes Extremes::read(detail::StatisticInput& in) {
  Extremes result;
  result.range_ = detail::read_range(in);
  return result;
}

}  // namespace graft::inline v1
