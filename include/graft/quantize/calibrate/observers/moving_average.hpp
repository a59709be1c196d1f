#pragma once
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/moving_extremes.hpp>

namespace graft::inline v1 {

/// Between the moving averages of each sample's least and greatest value.
struct MovingAverage {
  double weight = 0.01;  // of a new sample, above 0 and at most 1

  using Statistic = MovingExtremes;
  Statistic start() const { return Statistic(weight); }
  Range range(const Statistic& seen) const { return seen.averages(); }
};

}  // namespace graft::inline v1
