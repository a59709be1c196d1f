#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics/moving_extremes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Range MovingExtremes::averages() const {
  if (first_.empty()) return {};
  return {static_cast<float>(first_.min * kept_ + added_min_), static_cast<float>(first_.max * kept_ + added_max_)};
}

GRAFT_INLINE void MovingExtremes::add(const Tensor&, const Range& range) {
  if (range.empty()) return;
  MovingExtremes one(weight_);
  one.first_ = range;
  one.kept_ = 1 - weight_;
  one.added_min_ = weight_ * range.min;
  one.added_max_ = weight_ * range.max;
  merge(one);
}

GRAFT_INLINE void MovingExtremes::merge(const MovingExtremes& later) {
  if (weight_ != later.weight_) throw Error("moving averages of two weights do not merge");
  if (first_.empty()) first_ = later.first_;
  added_min_ = added_min_ * later.kept_ + later.added_min_;
  added_max_ = added_max_ * later.kept_ + later.added_max_;
  kept_ *= later.kept_;
}

GRAFT_INLINE void MovingExtremes::write(detail::StatisticOutput& out) const {
  detail::write_range(out, first_);
  for (const double number : {weight_, kept_, added_min_, added_max_}) detail::write_double(out, number);
}

GRAFT_INLINE MovingExtremes MovingExtremes::read(detail::StatisticInput& in) {
  const Range first = detail::read_range(in);
  MovingExtremes result(detail::read_double(in));
  result.first_ = first;
  for (double* const number : {&result.kept_, &result.added_min_, &result.added_max_})
    *number = detail::read_double(in);
  return result;
}

}  // namespace graft::inline v1
