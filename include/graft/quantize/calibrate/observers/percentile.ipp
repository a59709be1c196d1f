#pragma once
#include <graft/quantize/calibrate/observers/percentile.hpp>

#include <cstdint>
#include <span>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/detail/bins.hpp>

namespace graft::inline v1 {

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

}  // namespace graft::inline v1
