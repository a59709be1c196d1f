#pragma once
#include <graft/quantize/calibrate/statistics/moments.hpp>

#include <array>
#include <span>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<double> ChannelMeans::means() const {
  std::vector<double> result = sums_.each();
  for (double& mean : result) mean /= static_cast<double>(sums_.count());
  return result;
}

GRAFT_INLINE void ChannelMeans::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  sums_.add(tensor, [](double& all, std::span<const float> values) {
    std::array<double, 4> sums{};  // four, because each sum waits for its last addition
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

GRAFT_INLINE void FeatureMoments::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  const std::int64_t width = tensor.rank() == 0 ? 1 : tensor.dims().back();
  features_.add(tensor.reshaped({tensor.size() / width, width}), [](Feature& feature, std::span<const float> values) {
    for (const float value : values) {
      feature.range.merge({value, value});
      feature.sum += value;
      feature.squares += static_cast<double>(value) * value;
    }
  });
}

GRAFT_INLINE void FeatureMoments::merge(const FeatureMoments& later) {
  features_.merge(later.features_, [](Feature& feature, const Feature& other) {
    feature.range.merge(other.range);
    feature.sum += other.sum;
    feature.squares += other.squares;
  });
}

GRAFT_INLINE void FeatureMoments::write(detail::StatisticOutput& out) const {
  features_.write(out, [](detail::StatisticOutput& to, const Feature& feature) {
    detail::write_range(to, feature.range);
    detail::write_double(to, feature.sum);
    detail::write_double(to, feature.squares);
  });
}

GRAFT_INLINE FeatureMoments FeatureMoments::read(detail::StatisticInput& in) {
  FeatureMoments result;
  result.features_ = detail::PerChannel<Feature>::read(in, [](detail::StatisticInput& from) {
    Feature feature;
    feature.range = detail::read_range(from);
    feature.sum = detail::read_double(from);
    feature.squares = detail::read_double(from);
    return feature;
  });
  return result;
}

}  // namespace graft::inline v1
