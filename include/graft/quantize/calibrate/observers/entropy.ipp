#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/observers/entropy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace graft::inline v1 {

GRAFT_INLINE Range Entropy::range(const Histogram& seen) const {
  const std::size_t bins = seen.counts().size();
  detail::Bins best{0, bins};
  if (bins <= levels) return detail::range_of(seen, best);
  const std::vector<std::uint64_t> counts = without_zeros(seen);
  double least = std::numeric_limits<double>::infinity();
  const std::size_t steps = 128;
  for (std::size_t step = 1; step <= steps; ++step) {
    const detail::Bins kept = within(seen, static_cast<double>(step) / steps);
    if (kept.last - kept.first < levels) continue;
    const double found = divergence(counts, kept);
    if (found < least) {
      least = found;
      best = kept;
    }
  }
  return detail::range_of(seen, best);
}

GRAFT_INLINE std::vector<std::uint64_t> Entropy::without_zeros(const Histogram& seen) {
  std::vector<std::uint64_t> counts(seen.counts().begin(), seen.counts().end());
  const double bin = -seen.edge(0) / seen.width();
  if (bin < 0 || bin + 1 >= static_cast<double>(counts.size())) return counts;
  const auto zero = static_cast<std::size_t>(bin);
  counts[zero] = std::min(counts[zero], counts[zero + 1]);
  return counts;
}

GRAFT_INLINE detail::Bins Entropy::within(const Histogram& seen, double part) {
  const double threshold = part * std::max(std::abs(seen.range().min), std::abs(seen.range().max));
  const double start = seen.edge(0), width = seen.width();
  const double bins = static_cast<double>(seen.counts().size());
  const double first = std::clamp(std::floor((-threshold - start) / width), 0.0, bins);
  const double last = std::clamp(std::ceil((threshold - start) / width), first, bins);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

GRAFT_INLINE double Entropy::divergence(std::span<const std::uint64_t> counts, const detail::Bins& kept) const {
  const std::size_t size = kept.last - kept.first;
  std::vector<double> clipped(size), spread(size, 0);
  for (std::size_t i = 0; i < counts.size(); ++i)
    clipped[std::clamp(i, kept.first, kept.last - 1) - kept.first] += static_cast<double>(counts[i]);
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t first = level * size / levels, last = (level + 1) * size / levels;
    double sum = 0, filled = 0;
    for (std::size_t i = first; i < last; ++i) {
      sum += static_cast<double>(counts[kept.first + i]);
      filled += clipped[i] > 0;
    }
    for (std::size_t i = first; i < last; ++i)
      if (clipped[i] > 0) spread[i] = sum / filled;
  }
  smooth(clipped);
  smooth(spread);
  double result = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (clipped[i] != spread[i]) result += clipped[i] * std::log(clipped[i] / spread[i]);
  return result;
}

GRAFT_INLINE void Entropy::smooth(std::vector<double>& distribution) {
  double sum = 0;
  for (const double x : distribution) sum += x;
  const double little = 1e-4 / static_cast<double>(distribution.size());
  for (double& x : distribution) x = (sum > 0 ? x / sum : 0) * (1 - 1e-4) + little;
}

}  // namespace graft::inline v1
