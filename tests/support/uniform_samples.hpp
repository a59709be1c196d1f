#pragma once
#include <cstddef>
#include <vector>

#include <graft/quantize/calibrate/sample.hpp>
#include <graft/testing/random.hpp>

/// Samples of the input "x" of float32, uniform from -1 to 1.
inline std::vector<graft::Feeds> uniform_samples(std::size_t count, const graft::Dims& dims, unsigned seed = 3) {
  graft::Random random(seed);
  std::vector<graft::Feeds> samples(count);
  for (graft::Feeds& feeds : samples)
    feeds.emplace_back("x", graft::random_tensor(graft::DType::f32, dims, random, graft::Interval{-1, 1}));
  return samples;
}
