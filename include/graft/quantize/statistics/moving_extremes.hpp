#pragma once
#include <string_view>

#include <graft/quantize/statistic.hpp>

namespace graft::inline v1 {

/// The exponential moving averages of the least and of the greatest value of each sample, from the first sample's on:
/// average += weight * (value - average). A part is kept as what it does to an average that comes from before it,
/// average * kept + added, and such steps compose: parts merge to what one run gives, but for rounding.
class MovingExtremes {
 public:
  static constexpr std::string_view kind = "moving-extremes";

  /// 0 < weight <= 1. Throws Error otherwise.
  explicit MovingExtremes(double weight = 0.01) : weight_(weight) {
    if (!(weight > 0 && weight <= 1)) throw Error("the weight of a moving average is above 0 and at most 1");
  }

  double weight() const { return weight_; }
  /// From the average of the least values to that of the greatest.
  Range averages() const {
    if (first_.empty()) return {};
    return {static_cast<float>(first_.min * kept_ + added_min_), static_cast<float>(first_.max * kept_ + added_max_)};
  }

  void add(const Tensor&, const Range& range) {
    if (range.empty()) return;
    MovingExtremes one(weight_);
    one.first_ = range;
    one.kept_ = 1 - weight_;
    one.added_min_ = weight_ * range.min;
    one.added_max_ = weight_ * range.max;
    merge(one);
  }
  /// Throws Error if the weights differ.
  void merge(const MovingExtremes& later) {
    if (weight_ != later.weight_) throw Error("moving averages of two weights do not merge");
    if (first_.empty()) first_ = later.first_;
    added_min_ = added_min_ * later.kept_ + later.added_min_;
    added_max_ = added_max_ * later.kept_ + later.added_max_;
    kept_ *= later.kept_;
  }
  friend bool operator==(const MovingExtremes&, const MovingExtremes&) = default;

  void write(detail::StatisticOutput& out) const {
    detail::write_range(out, first_);
    for (const double number : {weight_, kept_, added_min_, added_max_}) detail::write_double(out, number);
  }
  static MovingExtremes read(detail::StatisticInput& in) {
    const Range first = detail::read_range(in);
    MovingExtremes result(detail::read_double(in));
    result.first_ = first;
    for (double* const number : {&result.kept_, &result.added_min_, &result.added_max_})
      *number = detail::read_double(in);
    return result;
  }

 private:
  double weight_;
  Range first_;
  double kept_ = 1, added_min_ = 0, added_max_ = 0;
};

}  // namespace graft::inline v1
