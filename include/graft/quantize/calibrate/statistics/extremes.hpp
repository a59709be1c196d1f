#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/per_channel.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The least and the greatest value.
class Extremes {
 public:
  static constexpr std::string_view kind = "extremes";

  const Range& range() const { return range_; }

  void add(const Tensor&, const Range& range) { range_.merge(range); }
  void merge(const Extremes& later) { range_.merge(later.range_); }
  friend bool operator==(const Extremes&, const Extremes&) = default;

  void write(detail::StatisticOutput& out) const { detail::write_range(out, range_); }
  static Extremes read(detail::StatisticInput& in);

 private:
  Range range_;
};

/// The exponential moving averages of each sample's least and greatest value, starting at the first sample: average +=
/// weight * (value - average). A part is stored as its effect on an earlier average, average * kept + added. Such steps
/// compose, so merged parts give the result of one run, except for rounding.
class MovingExtremes {
 public:
  static constexpr std::string_view kind = "moving-extremes";

  /// 0 < weight <= 1; throws Error otherwise.
  explicit MovingExtremes(double weight = 0.01) : weight_(weight) {
    if (!(weight > 0 && weight <= 1)) detail::raise(Error("the weight of a moving average is above 0 and at most 1"));
  }

  double weight() const { return weight_; }
  /// The range from the average of the least values to that of the greatest.
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

/// The least and the greatest value of each channel. Channels are axis 1 of [N, C, ...]; a tensor of a lower rank has
/// one channel.
class ChannelExtremes {
 public:
  static constexpr std::string_view kind = "channel-extremes";
  static constexpr std::string_view fact_maker = "observe_channel_extremes";

  /// One range for each channel; empty before a value was seen.
  const std::vector<Range>& ranges() const { return ranges_.each(); }
  /// The number of values behind each range.
  std::uint64_t count() const { return ranges_.count(); }
  /// The range over all channels.
  Range range() const;

  /// Throws Error if the number of channels differs from the earlier one.
  void add(const Tensor& tensor, const Range& range);
  void merge(const ChannelExtremes& later);
  /// Appends the channels of another tensor.
  void append_channels(const ChannelExtremes& further);
  friend bool operator==(const ChannelExtremes&, const ChannelExtremes&) = default;

  void write(detail::StatisticOutput& out) const { ranges_.write(out, detail::write_range); }
  static ChannelExtremes read(detail::StatisticInput& in);

 private:
  detail::PerChannel<Range> ranges_;
};

}  // namespace graft::inline v1
