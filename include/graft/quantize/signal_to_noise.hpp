#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace graft::inline v1 {

/// The power of a signal x and that of the noise x - q in what stands for it, as sums in float64.
struct SignalToNoise {
  double signal = 0, noise = 0;

  /// As many values of one as of the other.
  void add(std::span<const float> x, std::span<const float> q) {
    SignalToNoise sum;  // of these alone, so that what is added does not depend on what was there
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == q[i] && std::isinf(x[i])) continue;  // as a mask has them: no noise, and no power
      const double value = x[i], error = value - q[i];
      sum.signal += value * value;
      sum.noise += error * error;
    }
    signal += sum.signal;
    noise += sum.noise;
  }

  /// 10 log10(sum x^2 / sum (x - q)^2). Infinite where all are equal; minus infinity where there is no signal but
  /// noise, and where the noise is not finite.
  double decibels() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (noise == 0) return infinity;
    return std::isfinite(noise) && signal > 0 ? 10 * std::log10(signal / noise) : -infinity;
  }
};

}  // namespace graft::inline v1
