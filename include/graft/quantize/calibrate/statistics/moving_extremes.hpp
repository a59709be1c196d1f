#pragma once
#include <string_view>

#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The exponential moving averages of the least and of the greatest value of each sample, from the first sample's on:
/// average += weight * (value - average). A part is kept as what it does to an average that comes from before it,
/// average * kept + added, and such steps compose: parts merge to what one run gives, except for rounding.
class MovingExtremes {
 public:
  static constexpr std::string_view kind = "moving-extremes";

  /// 0 < weight <= 1. Throws Error otherwise.
  explicit MovingExtremes(double weight = 0.01) : weight_(weight) {
    if (!(weight > 0 && weight <= 1)) throw Error("the weight of a moving average is above 0 and at most 1");
  }

  double weight() const { return weight_; }
  /// From the average of the least values to that of the greatest.
  Range averages() const;

  void add(const Tensor&, const Range& range);
  /// Throws Error if the weights differ.
  void merge(const MovingExtremes& later);
  friend bool operator==(const MovingExtremes&, const MovingExtremes&) = default;

  void write(detail::StatisticOutput& out) const;
  static MovingExtremes read(detail::StatisticInput& in);

 private:
  double weight_;
  Range first_;
  double kept_ = 1, added_min_ = 0, added_max_ = 0;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/statistics/moving_extremes.ipp>
#endif
