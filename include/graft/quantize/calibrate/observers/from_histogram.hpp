#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/bins.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>

namespace graft::inline v1 {

/// The narrowest range of whole bins that leaves out, at either end, at most half of (100 - percent) % of the values.
struct Percentile {
  double percent = 99.99;  // share of values inside the range, above 0 and at most 100

  using Statistic = Histogram;
  std::string name() const;  ///< "percentile 99.99"
  /// Throws Error if the percentage is out of bounds, as range() does.
  Statistic start() const;
  Range range(const Histogram& seen) const;

 private:
  void check() const {
    if (!(percent > 0 && percent <= 100)) detail::raise(Error("a percentile is above 0 and at most 100"));
  }
};

/// The range that is symmetric about 0 and whose quantized distribution has the least Kullback-Leibler divergence from
/// the clipped one. (S. Migacz: 8-bit inference with TensorRT, 2017.)
struct Entropy {
  std::size_t levels = 256;

  using Statistic = Histogram;
  static std::string name() { return "entropy"; }
  Statistic start() const { return {}; }
  Range range(const Histogram& seen) const;

 private:
  /// Limits the bin of 0 to the count of the next bin. Zeros of activations are exact for any threshold, but would
  /// count as spread over their level.
  static std::vector<double> without_zeros(const Histogram& seen);

  /// The bins up to a fraction of the largest magnitude.
  static detail::Bins within(const Histogram& seen, double part);

  /// The divergence of two distributions. In the first, clipped values are in the outermost of the kept bins. The
  /// second is the kept bins with the count of each level spread evenly over its non-empty bins. Both are smoothed,
  /// because zeros would make the divergence infinite.
  double divergence(std::span<const double> counts, const detail::Bins& kept) const;
};

/// The range with the least mean squared error when it is quantized to evenly spaced levels that include 0. First both
/// ends move in together, then each separately.
struct SquaredError {
  int levels = 256;

  using Statistic = Histogram;
  static std::string name() { return "squared-error"; }
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

  /// The sum of the squared errors. Values count as the centre of their bin; if levels are closer than bins, the
  /// expected error is used. Returns a partial sum as soon as it reaches `most`.
  double error(const Histogram& seen, const Range& range, double most) const;
};

}  // namespace graft::inline v1
