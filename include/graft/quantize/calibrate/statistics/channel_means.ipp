#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics/channel_means.hpp>

#include <array>
#include <cstddef>
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
    std::array<double, 4> sums{};  // one sum waits for its last addition
    std::size_t i = 0;
    for (; i + sums.size() <= values.size(); i += sums.size())
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += values[i + j];
    for (; i < values.size(); ++i) sums[0] += values[i];
    all += (sums[0] + sums[1]) + (sums[2] + sums[3]);
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
