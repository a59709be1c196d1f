#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <graft/quantize/detail/extent.hpp>
#include <graft/quantize/detail/per_channel.hpp>
#include <graft/quantize/statistic.hpp>

namespace graft::inline v1 {

/// The least and the greatest value of each channel, which is axis 1 of [N, C, ...]; a tensor of a lower rank has one
/// channel.
class ChannelExtremes {
 public:
  static constexpr std::string_view kind = "channel-extremes";

  /// One for each channel; none before a value was seen.
  const std::vector<Range>& ranges() const { return ranges_.each(); }
  /// Of how many values each range is.
  std::uint64_t count() const { return ranges_.count(); }
  /// Of all channels.
  Range range() const {
    Range all;
    for (const Range& range : ranges()) all.merge(range);
    return all;
  }

  /// Throws Error if the channels are not as many as before.
  void add(const Tensor& tensor, const Range& range) {
    if (range.empty()) return;
    ranges_.add(tensor,
                [](Range& seen, std::span<const float> values) { seen.merge(detail::extent_of(values).range); });
  }
  void merge(const ChannelExtremes& later) {
    ranges_.merge(later.ranges_, [](Range& seen, const Range& other) { seen.merge(other); });
  }
  friend bool operator==(const ChannelExtremes&, const ChannelExtremes&) = default;

  void write(detail::StatisticOutput& out) const { ranges_.write(out, detail::write_range); }
  static ChannelExtremes read(detail::StatisticInput& in) {
    ChannelExtremes result;
    result.ranges_ = detail::PerChannel<Range>::read(in, detail::read_range);
    return result;
  }

 private:
  detail::PerChannel<Range> ranges_;
};

}  // namespace graft::inline v1
