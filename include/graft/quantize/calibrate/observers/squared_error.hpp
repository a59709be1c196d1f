#pragma once
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>

namespace graft::inline v1 {

/// The range whose quantization to evenly spaced levels, 0 among them, has the least mean squared error. Both ends are
/// drawn in together, then each by itself.
struct SquaredError {
  int levels = 256;

  using Statistic = Histogram;
  Statistic start() const { return {}; }
  Range range(const Histogram& seen) const;

 private:
  struct Search {
    const SquaredError& observer;
    const Histogram& seen;
    Range best;
    double least;

    template <class Candidate>
    void draw_in(const Candidate& candidate) {
      constexpr int steps = 64;
      for (int step = steps; step > 0; --step) {
        const Range range = candidate(static_cast<float>(step) / steps);
        const double found = observer.error(seen, range, least);
        if (found >= least) continue;
        least = found;
        best = range;
      }
    }
  };

  /// The sum of the squared errors, with each bin's values at its centre; where the levels are closer than the bins
  /// inside the range, at their expectation. A part of the sum, if that has reached `most` already.
  double error(const Histogram& seen, const Range& range, double most) const;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observers/squared_error.ipp>
#endif
