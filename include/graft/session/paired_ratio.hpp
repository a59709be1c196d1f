#pragma once
#include <cstddef>
#include <limits>
#include <span>

namespace graft::inline v1 {

/// How many times as long one of two things takes as the other, and where that ratio lies with some confidence.
struct PairedRatio {
  double ratio = 1;
  double low = 0, high = std::numeric_limits<double>::infinity();
  std::size_t pairs = 0;

  bool is_faster() const { return high < 1; }
  bool is_slower() const { return low > 1; }
};

/// Of times that were taken in pairs, one of each kind shortly after the other, so that a drift of the machine is in
/// both. The estimate is that of Hodges and Lehmann on the logarithms: the median of the means of any two. The interval
/// is the exact one of Wilcoxon's signed-rank test (Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 3rd
/// ed., 3.1 to 3.3): it assumes no distribution but that the logarithms of the ratios are independent and symmetric,
/// and a few outliers do not move it. Fewer pairs than the confidence needs, 6 for 0.95, give the interval from 0 to
/// infinity. Throws Error unless both have as many times, all of them positive and finite, and 0 < confidence < 1.
PairedRatio paired_ratio(std::span<const double> times, std::span<const double> against, double confidence);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/session/paired_ratio.ipp>
#endif
