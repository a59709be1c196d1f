#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/observers/squared_error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace graft::inline v1 {

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
  const double width = seen.width(), first = seen.edge(0) / width;  // exact, as is the centre of a bin
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
