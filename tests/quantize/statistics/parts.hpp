#pragma once
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <graft/qdq/extent.hpp>
#include <graft/quantize/calibrate/statistic.hpp>
#include <graft/quantize/calibrate/statistics_file.hpp>

/// f32 of rank 1.
inline graft::Tensor tensor_of(const std::vector<float>& values) {
  return graft::Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

template <class S>
void add(S& statistic, const graft::Tensor& tensor) {
  statistic.add(tensor, graft::detail::extent_of(tensor.data<float>()).range);
}

template <class S>
S of(const std::vector<graft::Tensor>& samples, S statistic = S()) {
  for (const graft::Tensor& sample : samples) add(statistic, sample);
  return statistic;
}

/// Samples of unlike sizes and spreads.
inline std::vector<graft::Tensor> random_samples(unsigned seed, std::size_t count = 12) {
  std::mt19937 random(seed);
  std::vector<graft::Tensor> samples;
  for (std::size_t i = 0; i < count; ++i) {
    std::normal_distribution<float> normal(0, std::ldexp(1.0f, static_cast<int>(random() % 12) - 6));
    std::vector<float> values(random() % 200);
    std::generate(values.begin(), values.end(), [&] { return random() % 4 == 0 ? 0 : normal(random); });
    samples.push_back(tensor_of(values));
  }
  return samples;
}

/// The statistic of samples [first, last).
template <class S>
S part(const std::vector<graft::Tensor>& samples, std::size_t first, std::size_t last, const S& start = S()) {
  return of({samples.begin() + static_cast<std::ptrdiff_t>(first), samples.begin() + static_cast<std::ptrdiff_t>(last)},
            start);
}

/// Of two parts.
template <class S>
S merged(S earlier, const S& later) {
  earlier.merge(later);
  return earlier;
}

/// After it went to bytes and came back.
template <class S>
S restored(const S& statistic) {
  graft::Statistics<S> statistics(statistic);
  statistics.of("x");
  return *graft::statistics_from_bytes<S>(graft::to_bytes(statistics)).find("x");
}
