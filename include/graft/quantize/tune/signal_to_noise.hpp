#pragma once
#include <span>

#include <graft/config.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether both are NaN, or the same infinity.
bool same_non_finite(float x, float q);

}  // namespace detail

/// The power of a signal x and of the noise x - q of its quantized form q, as sums in float64.
struct SignalToNoise {
  double signal = 0, noise = 0;

  /// Both must have the same number of values. NaN, or the same infinity, at the same place in both has no power and no
  /// noise, as in a mask.
  void add(std::span<const float> x, std::span<const float> q);

  /// 10 log10(sum x^2 / sum (x - q)^2). Infinite if all are equal; minus infinity if there is noise but no signal, or
  /// if the noise is not finite.
  double decibels() const;
};

}  // namespace graft::inline v1
