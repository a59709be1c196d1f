#pragma once
#include <algorithm>
#include <cstddef>

#include <graft/quantize/range.hpp>
#include <graft/quantize/statistics/histogram.hpp>

namespace graft::inline v1::detail {

/// The bins [first, last) of a histogram.
struct Bins {
  std::size_t first, last;
};

/// From where the first begins to where the last ends, but no further than there are values. Empty if there is none.
inline Range range_of(const Histogram& histogram, const Bins& bins) {
  const Range& all = histogram.range();
  if (all.empty()) return all;
  return Range{static_cast<float>(histogram.edge(bins.first)), static_cast<float>(histogram.edge(bins.last))}.clamped(
      all);
}

}  // namespace graft::inline v1::detail
