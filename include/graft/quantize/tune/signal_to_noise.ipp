#pragma once
#include <graft/config.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>

#include <cmath>
#include <cstddef>
#include <limits>

namespace graft::inline v1 {

GRAFT_INLINE bool detail::same_non_finite(float x, float q) {
  return x == q ? std::isinf(x) : std::isnan(x) && std::isnan(q);
}

GRAFT_INLINE void SignalToNoise::add(std::span<const float> x, std::span<const float> q) {
  SignalToNoise sum;  // a separate sum, so that the added amount does not depend on earlier ones
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (detail::same_non_finite(x[i], q[i])) continue;
    const double value = x[i], error = value - q[i];
    sum.signal += value * value;
    sum.noise += error * error;
  }
  signal += sum.signal;
  noise += sum.noise;
}

GRAFT_INLINE double SignalToNoise::decibels() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (noise == 0) return infinity;
  return std::isfinite(noise) && signal > 0 ? 10 * std::log10(signal / noise) : -infinity;
}

}  // namespace graft::inline v1
