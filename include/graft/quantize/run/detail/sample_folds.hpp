#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/run/detail/sample_split.hpp>

namespace graft::inline v1::detail {

/// At most so many of the samples, from one end to the other; all of a range that is not indexed.
inline SampleSource spread(const SampleSource& samples, std::size_t most) {
  if (!samples.is_indexed() || *samples.size() <= most) return samples;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < most; ++i) places.push_back(i * *samples.size() / most);
  return samples.part(std::move(places));
}

/// Samples to calibrate on, and those to judge ways to quantize on. In folds each sample serves both: those of a fold
/// judge ways whose ranges come from the other folds, and the ranges of the way that is taken come from all. Where
/// statistics of parts cannot be merged every fourth sample, or fewer, is held out. Less than 4 samples, and those that
/// are not indexed, serve both as they are.
struct SampleFolds {
  static constexpr std::size_t count = 4;

  /// Parts of which statistics are gathered one by one.
  std::vector<SampleSource> calibrated;
  /// The samples that judge, fold by fold.
  std::vector<SampleSource> judging;
  /// Whether they judge ways that were made without them.
  bool are_unseen = false;

  /// most: of all samples that judge. merges: whether statistics of folds can be.
  SampleFolds(const SampleSource& samples, std::size_t most, bool merges) {
    if (!merges || most == 0 || !samples.is_indexed() || *samples.size() < count) {
      const SampleSplit split(samples, most);
      calibrated = {split.calibration};
      judging = {split.held_out};
      are_unseen = split.held_out_samples != 0;
      return;
    }
    are_unseen = true;
    for (std::size_t f = 0; f < count; ++f) {
      std::vector<std::size_t> fold;
      for (std::size_t i = f; i < *samples.size(); i += count) fold.push_back(i);
      calibrated.push_back(samples.part(std::move(fold)));
      judging.push_back(spread(calibrated.back(), (most + f) / count));
    }
  }
};

}  // namespace graft::inline v1::detail
