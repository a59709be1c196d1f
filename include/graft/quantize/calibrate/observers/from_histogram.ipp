#pragma once
#include <graft/quantize/calibrate/observers/from_histogram.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include <graft/config.hpp>
#include <graft/graph/shortest_decimal.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string Percentile::name() const { return "percentile " + shortest_decimal(percent); }

GRAFT_INLINE Percentile::Statistic Percentile::start() const {
  check();
  return {};
}

GRAFT_INLINE Range Percentile::range(const Histogram& seen) const {
  check();
  const double outside = (1 - percent / 100) / 2 * static_cast<double>(seen.total());
  const std::span<const std::uint64_t> counts = seen.counts();
  detail::Bins kept{0, counts.size()};
  for (std::uint64_t cut = 0; kept.first < kept.last; ++kept.first) {
    cut += counts[kept.first];
    if (static_cast<double>(cut) > outside) break;
  }
  for (std::uint64_t cut = 0; kept.last > kept.first; --kept.last) {
    cut += counts[kept.last - 1];
    if (static_cast<double>(cut) > outside) break;
  }
  return detail::range_of(seen, kept);
}

GRAFT_INLINE Range Entropy::range(const Histogram& seen) const {
  const std::size_t bins = seen.counts().size();
  detail::Bins best{0, bins};
  if (bins <= levels) return detail::range_of(seen, best);
  const std::vector<double> counts = without_zeros(seen);
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

GRAFT_INLINE std::vector<double> Entropy::without_zeros(const Histogram& seen) {
  std::vector<double> counts(seen.counts().begin(), seen.counts().end());
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

GRAFT_INLINE double Entropy::divergence(std::span<const double> counts, const detail::Bins& kept) const {
  const std::size_t size = kept.last - kept.first;
  const std::span<const double> inside = counts.subspan(kept.first, size), before = counts.first(kept.first),
                                behind = counts.subspan(kept.last);
  std::vector<double> clipped(inside.begin(), inside.end());
  clipped.front() = std::accumulate(before.begin(), before.end(), clipped.front());
  clipped.back() = std::accumulate(behind.begin(), behind.end(), clipped.back());
  const double all = std::accumulate(clipped.begin(), clipped.end(), 0.0);
  const double all_inside = std::accumulate(inside.begin(), inside.end(), 0.0);
  const double little = 1e-4 / static_cast<double>(size);
  const auto smoothed = [&](double count, double sum) { return (sum > 0 ? count / sum : 0) * (1 - 1e-4) + little; };
  double result = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t first = level * size / levels, last = (level + 1) * size / levels;
    double sum = 0, filled = 0;
    for (std::size_t i = first; i < last; ++i) {
      sum += inside[i];
      filled += clipped[i] > 0;
    }
    if (filled == 0) continue;  // empty bins are equal in both distributions
    const double spread = smoothed(sum / filled, all_inside);
    for (std::size_t i = first; i < last; ++i) {
      if (clipped[i] == 0) continue;
      const double share = smoothed(clipped[i], all);
      result += share * std::log(share / spread);
    }
  }
  return result;
}

GRAFT_INLINE Range SquaredError::range(const Histogram& seen) const {
  if (seen.range().empty()) return {};
  const Range all = Range{0, 0}.merge(seen.range());
  Search search{*this, seen, all, error(seen, all, std::numeric_limits<double>::infinity())};
  search.draw_in([&](float part) { return Range{all.min * part, all.max * part}; });
  const Range both = search.best;
  search.draw_in([&](float part) { return Range{both.min, all.max * part}; });
  const float max = search.best.max;
  search.draw_in([&](float part) { return Range{all.min * part, max}; });
  return search.best;
}

GRAFT_INLINE double SquaredError::error(const Histogram& seen, const Range& range, double most) const {
  const double scale = (static_cast<double>(range.max) - static_cast<double>(range.min)) / (levels - 1);
  const double width = seen.width(), first = seen.edge(0) / width;  // exact, like the centre of a bin
  const std::span<const std::uint64_t> counts = seen.counts();
  double sum = 0;
  for (std::size_t i = 0; i < counts.size() && sum < most; ++i) {
    if (counts[i] == 0) continue;
    const double x = (first + static_cast<double>(i) + 0.5) * width;
    const double clipped = std::clamp<double>(x, range.min, range.max);
    double squared = (x - clipped) * (x - clipped);
    if (scale > width) {
      const double rounding = clipped - std::nearbyint(clipped / scale) * scale;
      squared = (x - clipped + rounding) * (x - clipped + rounding);
    } else {
      squared += scale * scale / 12;
    }
    sum += static_cast<double>(counts[i]) * squared;
  }
  return sum;
}

}  // namespace graft::inline v1
