#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/bins.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>

namespace graft::inline v1 {

/// The narrowest range of whole bins outside which, at either end, lies at most half of what the percentile leaves out.
struct Percentile {
  double percent = 99.99;  // of the values that stay inside, above 0 and at most 100

  using Statistic = Histogram;
  /// Throws Error if the percentile is none, as range() does.
  Statistic start() const;
  Range range(const Histogram& seen) const;

 private:
  void check() const {
    if (!(percent > 0 && percent <= 100)) throw Error("a percentile is above 0 and at most 100");
  }
};

/// The clipping threshold, the same on both sides of 0, with which the distribution of the quantized values diverges
/// least (Kullback-Leibler) from that of the clipped ones. (S. Migacz: 8-bit inference with TensorRT, 2017.)
struct Entropy {
  std::size_t levels = 256;

  using Statistic = Histogram;
  Statistic start() const { return {}; }
  Range range(const Histogram& seen) const;

 private:
  /// The zeros that activations make are exact at any threshold, but would count as spread over their level: the bin of
  /// 0 counts no more than the one beyond.
  static std::vector<double> without_zeros(const Histogram& seen);

  /// The bins that reach up to a part of the largest magnitude.
  static detail::Bins within(const Histogram& seen, double part);

  /// Of the kept bins, their counts spread evenly over those of each level that are not empty, from the kept bins with
  /// what was clipped in their outermost. Both are smoothed: a distribution with zeros diverges infinitely.
  double divergence(std::span<const double> counts, const detail::Bins& kept) const;
};

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
#include <graft/quantize/calibrate/observers/from_histogram.ipp>
#endif
