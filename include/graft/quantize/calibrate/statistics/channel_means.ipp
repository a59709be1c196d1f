#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics/channel_means.hpp>

#include <span>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<double> ChannelMeans::means() const {
  std::vector<double> result = sums_.each();
  for (double& mean : result) mean /= static_cast<double>(sums_.count());
  return result;
}

GRAFT_INLINE void ChannelMeans::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  sums_.add(tensor, [](double& all, std::span<const float> values) {
    double sum = 0;
    for (const float value : values) sum += value;
    all += sum;
  });
}

GRAFT_INLINE void ChannelMeans::merge(const ChannelMeans& later) {
  sums_.merge(later.sums_, [](double& sum, double other) { sum += other; });
}

GRAFT_INLINE void ChannelMeans::append_channels(const ChannelMeans& further) {
  sums_.append(further.sums_, [](double sum, double ratio) { return sum * ratio; });
}

GRAFT_INLINE ChannelMeans ChannelMeans::read(detail::StatisticInput& in) {
  ChannelMeans result;
  result.sums_ = detail::PerChannel<double>::read(in, detail::read_double);
  return result;
}

}  // namespace graft::inline v1
