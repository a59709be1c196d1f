#pragma once
#include <graft/graph/error.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>

namespace graft::inline v1 {

/// The narrowest range of whole bins outside which, at either end, lies at most half of what the percentile leaves out.
struct Percentile {
  double percent = 99.99;  // of the values that stay inside, above 0 and at most 100

  using Statistic = Histogram;
  /// Throws Error if the percentile is none, as range() does.
  Statistic start() const;
  Range range(const Histogram& seen) const;

 private:
  void check() const {
    if (!(percent > 0 && percent <= 100)) throw Error("a percentile is above 0 and at most 100");
  }
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observers/percentile.ipp>
#endif
