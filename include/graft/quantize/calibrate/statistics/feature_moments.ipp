#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics/feature_moments.hpp>

#include <span>

namespace graft::inline v1 {

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
