#pragma once
#include <graft/quantize/calibrate/statistics/extremes.hpp>

#include <span>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Extremes Extremes::read(detail::StatisticInput& in) {
  Extremes result;
  result.range_ = detail::read_range(in);
  return result;
}

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

GRAFT_INLINE Range ChannelExtremes::range() const {
  Range all;
  for (const Range& range : ranges()) all.merge(range);
  return all;
}

GRAFT_INLINE void ChannelExtremes::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  ranges_.add(tensor, [](Range& seen, std::span<const float> values) { seen.merge(detail::extent_of(values).range); });
}

GRAFT_INLINE void ChannelExtremes::merge(const ChannelExtremes& later) {
  ranges_.merge(later.ranges_, [](Range& seen, const Range& other) { seen.merge(other); });
}

GRAFT_INLINE void ChannelExtremes::append_channels(const ChannelExtremes& further) {
  ranges_.append(further.ranges_, [](const Range& range, double) { return range; });
}

GRAFT_INLINE ChannelExtremes ChannelExtremes::read(detail::StatisticInput& in) {
  ChannelExtremes result;
  result.ranges_ = detail::PerChannel<Range>::read(in, detail::read_range);
  return result;
}

}  // namespace graft::inline v1
