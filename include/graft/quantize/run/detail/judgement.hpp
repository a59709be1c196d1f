#pragma once
#include <cstddef>
#include <vector>

#include <graft/quantize/tune/fidelity.hpp>

namespace graft::inline v1::detail {

/// The fidelity and the time of a candidate.
struct Judgement {
  Fidelity fidelity;
  bool is_quantized = false;     ///< activations are, or weights of products
  double time = 0;               ///< by the target's costs, in nanoseconds
  bool ended_early = false;      ///< before the last sample
  std::vector<double> errors{};  ///< 1 - cosine of each sample

  /// Whether this candidate is better than another: it is nearer to float and not slower, or faster and as near, where
  /// a difference of a few hundredths is none. Where the other is poor, nearness alone counts; where nothing is
  /// quantized in the other, time, unless this one is poor. A candidate that quantizes nothing is not better.
  bool is_better(const Judgement& other) const;
  /// With a smaller cosine than this nothing is better.
  double least_cosine() const;

  /// Whether its errors are less than those of a simpler candidate, on the samples that both ran on, by more than the
  /// noise: on average by more than the standard error of the difference, and by a fiftieth.
  bool is_nearer(const Judgement& simpler) const;
  /// Whether they are greater by more than the noise, of which fewer samples say little.
  bool is_behind(const Judgement& simpler) const { return errors.size() >= 8 && simpler.is_nearer(*this); }
};

}  // namespace graft::inline v1::detail
