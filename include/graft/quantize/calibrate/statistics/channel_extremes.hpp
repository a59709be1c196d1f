#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/per_channel.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The least and the greatest value of each channel, which is axis 1 of [N, C, ...]; a tensor of a lower rank has one
/// channel.
class ChannelExtremes {
 public:
  static constexpr std::string_view kind = "channel-extremes";
  static constexpr std::string_view fact_maker = "observe_channel_extremes";

  /// One for each channel; none before a value was seen.
  const std::vector<Range>& ranges() const { return ranges_.each(); }
  /// Of how many values each range is.
  std::uint64_t count() const { return ranges_.count(); }
  /// Of all channels.
  Range range() const;

  /// Throws Error if the channels are not as many as before.
  void add(const Tensor& tensor, const Range& range);
  void merge(const ChannelExtremes& later);
  /// The channels of another tensor behind those of this one.
  void append_channels(const ChannelExtremes& further);
  friend bool operator==(const ChannelExtremes&, const ChannelExtremes&) = default;

  void write(detail::StatisticOutput& out) const { ranges_.write(out, detail::write_range); }
  static ChannelExtremes read(detail::StatisticInput& in);

 private:
  detail::PerChannel<Range> ranges_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/statistics/channel_extremes.ipp>
#endif
