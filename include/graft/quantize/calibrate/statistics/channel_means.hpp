#pragma once
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/per_channel.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The mean of each channel, which is axis 1 of [N, C, ...]; a tensor of a lower rank has one channel.
class ChannelMeans {
 public:
  static constexpr std::string_view kind = "channel-means";
  static constexpr std::string_view fact_maker = "observe_channel_means";

  /// One for each channel; none before a value was seen.
  std::vector<double> means() const;

  /// Throws Error if the channels are not as many as before.
  void add(const Tensor& tensor, const Range& range);
  void merge(const ChannelMeans& later);
  /// The channels of another tensor behind those of this one.
  void append_channels(const ChannelMeans& further);
  friend bool operator==(const ChannelMeans&, const ChannelMeans&) = default;

  void write(detail::StatisticOutput& out) const { sums_.write(out, detail::write_double); }
  static ChannelMeans read(detail::StatisticInput& in);

 private:
  detail::PerChannel<double> sums_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/statistics/channel_means.ipp>
#endif
