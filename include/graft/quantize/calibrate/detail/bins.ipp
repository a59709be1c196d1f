#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/detail/bins.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Range range_of(const Histogram& histogram, const Bins& bins) {
  const Range& all = histogram.range();
  if (all.empty()) return all;
  return Range{static_cast<float>(histogram.edge(bins.first)), static_cast<float>(histogram.edge(bins.last))}.clamped(
      all);
}

}  // namespace graft::inline v1::detail
