#pragma once
#include <span>

namespace graft::inline v1 {

namespace detail {

/// Whether both are NaN, or the same infinity.
bool same_non_finite(float x, float q);

}  // namespace detail

/// The power of a signal x and that of the noise x - q in what stands for it, as sums in float64.
struct SignalToNoise {
  double signal = 0, noise = 0;

  /// As many values of one as of the other. NaN or an infinity that both have at one place has no power and no noise,
  /// as in a mask.
  void add(std::span<const float> x, std::span<const float> q);

  /// 10 log10(sum x^2 / sum (x - q)^2). Infinite where all are equal; minus infinity where there is no signal but
  /// noise, and where the noise is not finite.
  double decibels() const;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/signal_to_noise.ipp>
#endif
