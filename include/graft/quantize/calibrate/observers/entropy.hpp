#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/bins.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>

namespace graft::inline v1 {

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

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observers/entropy.ipp>
#endif
