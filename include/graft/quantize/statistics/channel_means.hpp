#pragma once
#include <span>
#include <string_view>
#include <vector>

#include <graft/quantize/detail/per_channel.hpp>
#include <graft/quantize/statistic.hpp>

namespace graft::inline v1 {

/// The mean of each channel, which is axis 1 of [N, C, ...]; a tensor of a lower rank has one channel.
class ChannelMeans {
 public:
  static constexpr std::string_view kind = "channel-means";

  /// One for each channel; none before a value was seen.
  std::vector<double> means() const {
    std::vector<double> result = sums_.each();
    for (double& mean : result) mean /= static_cast<double>(sums_.count());
    return result;
  }

  /// Throws Error if the channels are not as many as before.
  void add(const Tensor& tensor, const Range& range) {
    if (range.empty()) return;
    sums_.add(tensor, [](double& all, std::span<const float> values) {
      double sum = 0;
      for (const float value : values) sum += value;
      all += sum;
    });
  }
  void merge(const ChannelMeans& later) {
    sums_.merge(later.sums_, [](double& sum, double other) { sum += other; });
  }
  friend bool operator==(const ChannelMeans&, const ChannelMeans&) = default;

  void write(detail::StatisticOutput& out) const { sums_.write(out, detail::write_double); }
  static ChannelMeans read(detail::StatisticInput& in) {
    ChannelMeans result;
    result.sums_ = detail::PerChannel<double>::read(in, detail::read_double);
    return result;
  }

 private:
  detail::PerChannel<double> sums_;
};

}  // namespace graft::inline v1
