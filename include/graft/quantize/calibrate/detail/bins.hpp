#pragma once
#include <cstddef>

#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>

namespace graft::inline v1::detail {

/// The bins [first, last) of a histogram.
struct Bins {
  std::size_t first, last;
};

/// The range from the start of the first bin to the end of the last, clipped to the seen values. Empty if there is no
/// bin.
Range range_of(const Histogram& histogram, const Bins& bins);

}  // namespace graft::inline v1::detail
