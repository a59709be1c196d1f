#pragma once
#include <string>

#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>

namespace graft::inline v1 {

/// A fixed range for every tensor. start() throws Error if its min is above its max.
struct Fixed {
  Range fixed;

  using Statistic = Extremes;
  static std::string name() { return "fixed"; }
  Statistic start() const;
  template <class S>
  Range range(const S&) const {
    return fixed;
  }
};

/// The range from the least to the greatest value.
struct MinMax {
  using Statistic = Extremes;
  static std::string name() { return "min-max"; }
  Statistic start() const { return {}; }
  /// Reads any statistic that has extremes.
  template <class S>
  requires requires(const S& seen) { seen.range(); }
  Range range(const S& seen) const { return seen.range(); }
};

/// The range between the moving averages of each sample's least and greatest value.
struct MovingAverage {
  double weight = 0.01;  // of a new sample, above 0 and at most 1

  using Statistic = MovingExtremes;
  static std::string name() { return "moving-average"; }
  Statistic start() const { return Statistic(weight); }
  Range range(const Statistic& seen) const { return seen.averages(); }
};

}  // namespace graft::inline v1
