#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/quantize/calibrate/sample_source.hpp>

namespace graft::inline v1::detail {

/// Samples to calibrate on, and others to compare ways to quantize on: every fourth, or fewer; all for both if they are
/// less than 4, not indexed, or none is to be held out.
struct SampleSplit {
  SampleSource calibration, held_out;
  std::size_t held_out_samples = 0;

  SampleSplit(const SampleSource& samples, std::size_t most) : calibration(samples), held_out(samples) {
    if (most == 0 || !samples.is_indexed() || *samples.size() < 4) return;
    const std::size_t count = *samples.size();
    const std::size_t stride = std::max<std::size_t>(4, (count + most - 1) / most);
    std::vector<std::size_t> calibrated, apart;
    for (std::size_t i = 0; i < count; ++i) (i % stride == stride - 1 ? apart : calibrated).push_back(i);
    held_out_samples = apart.size();
    calibration = samples.part(std::move(calibrated));
    held_out = samples.part(std::move(apart));
  }
};

}  // namespace graft::inline v1::detail
