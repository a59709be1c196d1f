#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>

#include <span>

namespace graft::inline v1 {

GRAFT_INLINE Range ChannelExtremes::range() const {
  Range all;
  for (const Range& range : ranges()) all.merge(range);
  return all;
}

GRAFT_INLINE void ChannelExtremes::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  ranges_.add(tensor,
              [](Range& seen, std::span<const float> values) { seen.merge(detail::extent_of(values).range); });
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
