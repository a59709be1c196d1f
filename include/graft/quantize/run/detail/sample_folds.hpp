#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/quantize/calibrate/sample_source.hpp>

namespace graft::inline v1::detail {

/// At most so many of the samples, from one end to the other; all of a range that is not indexed.
inline SampleSource spread(const SampleSource& samples, std::size_t most) {
  if (!samples.is_indexed() || *samples.size() <= most) return samples;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < most; ++i) places.push_back(i * *samples.size() / most);
  return samples.part(std::move(places));
}

/// Samples to calibrate on, and others to judge candidates on. Less than 4 samples, those that are not indexed, and all
/// if none may be held out, serve both as they are.
struct SampleFolds {
  static constexpr std::size_t count = 4;

  /// Parts of which statistics are gathered one by one.
  std::vector<SampleSource> calibrated;
  /// The samples that judge, fold by fold.
  std::vector<SampleSource> judging;
  /// Whether they judge candidates that were made without them.
  bool are_unseen = false;

  /// In folds, if statistics of folds can be merged: each sample serves both. The samples of a fold judge candidates
  /// whose ranges come from the other folds, and the final ranges come from all. most: of all samples that judge.
  static SampleFolds mergeable(const SampleSource& samples, std::size_t most) {
    SampleFolds folds = as_they_are(samples);
    if (most == 0 || !samples.is_indexed() || *samples.size() < count) return folds;
    folds = SampleFolds();
    folds.are_unseen = true;
    for (std::size_t f = 0; f < count; ++f) {
      std::vector<std::size_t> fold;
      for (std::size_t i = f; i < *samples.size(); i += count) fold.push_back(i);
      folds.calibrated.push_back(samples.part(std::move(fold)));
      folds.judging.push_back(spread(folds.calibrated.back(), (most + f) / count));
    }
    return folds;
  }

  /// Every fourth sample, or fewer, judges; the others are calibrated on.
  static SampleFolds split(const SampleSource& samples, std::size_t most) {
    if (most == 0 || !samples.is_indexed() || *samples.size() < count) return as_they_are(samples);
    const std::size_t size = *samples.size();
    const std::size_t stride = std::max(count, (size + most - 1) / most);
    std::vector<std::size_t> calibrated, apart;
    for (std::size_t i = 0; i < size; ++i) (i % stride == stride - 1 ? apart : calibrated).push_back(i);
    SampleFolds folds;
    folds.are_unseen = true;
    folds.calibrated = {samples.part(std::move(calibrated))};
    folds.judging = {samples.part(std::move(apart))};
    return folds;
  }

 private:
  static SampleFolds as_they_are(const SampleSource& samples) {
    SampleFolds folds;
    folds.calibrated = folds.judging = {samples};
    return folds;
  }
};

}  // namespace graft::inline v1::detail
