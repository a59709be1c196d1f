#pragma once
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>

namespace graft::inline v1 {

/// From the least to the greatest value.
struct MinMax {
  using Statistic = Extremes;
  Statistic start() const { return {}; }
  /// Of any statistic that knows them.
  template <class S>
    requires requires(const S& seen) { seen.range(); }
  Range range(const S& seen) const {
    return seen.range();
  }
};

}  // namespace graft::inline v1
