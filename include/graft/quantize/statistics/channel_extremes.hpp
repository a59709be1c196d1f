#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/quantize/detail/extent.hpp>
#include <graft/quantize/statistic.hpp>

namespace graft::inline v1 {

/// The least and the greatest value of each channel, which is axis 1 of [N, C, ...]; a tensor of a lower rank has one
/// channel.
class ChannelExtremes {
 public:
  static constexpr std::string_view kind = "channel-extremes";

  /// One for each channel; none before a value was seen.
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Of how many values each range is.
  std::uint64_t count() const { return count_; }
  /// Of all channels.
  Range range() const {
    Range all;
    for (const Range& range : ranges_) all.merge(range);
    return all;
  }

  /// Throws Error if the channels are not as many as before.
  void add(const Tensor& tensor, const Range& range) {
    if (range.empty()) return;
    const Dims& dims = tensor.dims();
    const std::size_t channels = dims.size() < 2 ? 1 : static_cast<std::size_t>(dims[1]);
    expect(channels);
    const std::span<const float> values = tensor.data<float>();
    const std::size_t rows = (dims.size() < 2 ? 1 : static_cast<std::size_t>(dims[0])) * channels;
    const std::size_t inner = values.size() / rows;
    for (std::size_t row = 0; row < rows; ++row)
      ranges_[row % channels].merge(detail::extent_of(values.subspan(row * inner, inner)).range);
    count_ += rows / channels * inner;
  }
  void merge(const ChannelExtremes& later) {
    if (later.ranges_.empty()) return;
    expect(later.ranges_.size());
    for (std::size_t c = 0; c < ranges_.size(); ++c) ranges_[c].merge(later.ranges_[c]);
    count_ += later.count_;
  }
  friend bool operator==(const ChannelExtremes&, const ChannelExtremes&) = default;

  void write(detail::StatisticOutput& out) const {
    out.WriteVarint64(ranges_.size());
    out.WriteVarint64(count_);
    for (const Range& range : ranges_) detail::write_range(out, range);
  }
  static ChannelExtremes read(detail::StatisticInput& in) {
    ChannelExtremes result;
    const std::uint64_t channels = detail::read_count(in);
    result.count_ = detail::read_count(in);
    for (std::uint64_t c = 0; c < channels; ++c) result.ranges_.push_back(detail::read_range(in));
    return result;
  }

 private:
  void expect(std::size_t channels) {
    if (ranges_.empty()) ranges_.resize(channels);
    if (ranges_.size() == channels) return;
    throw Error("has " + std::to_string(channels) + " channels, had " + std::to_string(ranges_.size()));
  }

  std::vector<Range> ranges_;
  std::uint64_t count_ = 0;  // values of one channel
};

}  // namespace graft::inline v1
