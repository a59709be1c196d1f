#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/per_channel.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The mean of each channel. Channels are axis 1 of [N, C, ...]; a tensor of a lower rank has one channel.
class ChannelMeans {
 public:
  static constexpr std::string_view kind = "channel-means";
  static constexpr std::string_view fact_maker = "observe_channel_means";

  /// One mean for each channel; empty before a value was seen.
  std::vector<double> means() const;

  /// Throws Error if the number of channels differs from the earlier one.
  void add(const Tensor& tensor, const Range& range);
  void merge(const ChannelMeans& later);
  /// Appends the channels of another tensor.
  void append_channels(const ChannelMeans& further);
  friend bool operator==(const ChannelMeans&, const ChannelMeans&) = default;

  void write(detail::StatisticOutput& out) const { sums_.write(out, detail::write_double); }
  static ChannelMeans read(detail::StatisticInput& in);

 private:
  detail::PerChannel<double> sums_;
};

/// The range, the mean and the mean square of each feature. Features are the last axis, as in [batch, steps, features];
/// a scalar has one feature.
class FeatureMoments {
 public:
  static constexpr std::string_view kind = "feature-moments";
  static constexpr std::string_view fact_maker = "observe_feature_moments";

  struct Feature {
    Range range;
    double sum = 0, squares = 0;  ///< of the values, and of their squares
    friend bool operator==(const Feature&, const Feature&) = default;
  };

  /// One entry for each feature; empty before a value was seen.
  const std::vector<Feature>& features() const { return features_.each(); }
  /// The number of values of each feature.
  std::uint64_t count() const { return features_.count(); }
  double mean(std::size_t feature) const { return features()[feature].sum / static_cast<double>(count()); }
  double mean_square(std::size_t feature) const { return features()[feature].squares / static_cast<double>(count()); }

  /// Throws Error if the number of features differs from the earlier one.
  void add(const Tensor& tensor, const Range& range);
  void merge(const FeatureMoments& later);
  friend bool operator==(const FeatureMoments&, const FeatureMoments&) = default;

  void write(detail::StatisticOutput& out) const;
  static FeatureMoments read(detail::StatisticInput& in);

 private:
  detail::PerChannel<Feature> features_;
};

}  // namespace graft::inline v1
