#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/quantize/statistic.hpp>

namespace graft::inline v1 {

/// The mean of each channel, which is axis 1 of [N, C, ...]; a tensor of a lower rank has one channel.
class ChannelMeans {
 public:
  static constexpr std::string_view kind = "channel-means";

  /// One for each channel; none before a value was seen.
  std::vector<double> means() const {
    std::vector<double> result = sums_;
    for (double& mean : result) mean /= static_cast<double>(count_);
    return result;
  }

  /// Throws Error if the channels are not as many as before.
  void add(const Tensor& tensor, const Range& range) {
    if (range.empty()) return;
    const Dims& dims = tensor.dims();
    const std::size_t channels = dims.size() < 2 ? 1 : static_cast<std::size_t>(dims[1]);
    expect(channels);
    const std::span<const float> values = tensor.data<float>();
    const std::size_t batch = dims.size() < 2 ? 1 : static_cast<std::size_t>(dims[0]);
    const std::size_t inner = values.size() / (batch * channels);
    for (std::size_t n = 0; n < batch; ++n) {
      for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (const float value : values.subspan((n * channels + c) * inner, inner)) sum += value;
        sums_[c] += sum;
      }
    }
    count_ += batch * inner;
  }
  void merge(const ChannelMeans& later) {
    if (later.sums_.empty()) return;
    expect(later.sums_.size());
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] += later.sums_[c];
    count_ += later.count_;
  }
  friend bool operator==(const ChannelMeans&, const ChannelMeans&) = default;

  void write(detail::StatisticOutput& out) const {
    out.WriteVarint64(sums_.size());
    out.WriteVarint64(count_);
    for (const double sum : sums_) detail::write_double(out, sum);
  }
  static ChannelMeans read(detail::StatisticInput& in) {
    ChannelMeans result;
    const std::uint64_t channels = detail::read_count(in);
    result.count_ = detail::read_count(in);
    for (std::uint64_t c = 0; c < channels; ++c) result.sums_.push_back(detail::read_double(in));
    return result;
  }

 private:
  void expect(std::size_t channels) {
    if (sums_.empty()) sums_.resize(channels);
    if (sums_.size() == channels) return;
    throw Error("has " + std::to_string(channels) + " channels, had " + std::to_string(sums_.size()));
  }

  std::vector<double> sums_;
  std::uint64_t count_ = 0;  // values of one channel
};

}  // namespace graft::inline v1
