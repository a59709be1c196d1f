#pragma once
#include <cstddef>
#include <limits>
#include <span>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// The ratio of two times, with an interval for some confidence.
struct PairedRatio {
  double ratio = 1;
  double low = 0, high = std::numeric_limits<double>::infinity();
  std::size_t pairs = 0;

  bool is_faster() const { return high < 1; }
  bool is_slower() const { return low > 1; }
};

/// The ratio of times that were measured in pairs, one of each kind shortly after the other, so that a drift of the
/// machine changes both. The estimate is that of Hodges and Lehmann on the logarithms: the median of the means of any
/// two. The interval is the exact one of Wilcoxon's signed-rank test (Hollander, Wolfe, Chicken, Nonparametric
/// Statistical Methods, 3rd ed., 3.1 to 3.3). It assumes only that the logarithms of the ratios are independent and
/// symmetric, and a few outliers do not change it. With fewer pairs than the confidence needs (6 for 0.95), the
/// interval is 0 to infinity. Throws Error unless both have the same number of times, all times are positive and
/// finite, and 0 < confidence < 1.
PairedRatio paired_ratio(std::span<const double> times, std::span<const double> against, double confidence);

}  // namespace graft::inline v1
