#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/quantize/detail/bins.hpp>
#include <graft/quantize/statistics/histogram.hpp>

namespace graft::inline v1 {

/// The narrowest range of whole bins outside which, at either end, lies at most half of what the percentile leaves out.
struct Percentile {
  double percent = 99.99;  // of the values that stay inside, above 0 and at most 100

  using Statistic = Histogram;
  /// Throws Error if the percentile is none, as range() does.
  Statistic start() const {
    check();
    return {};
  }
  Range range(const Histogram& seen) const {
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

 private:
  void check() const {
    if (!(percent > 0 && percent <= 100)) throw Error("a percentile is above 0 and at most 100");
  }
};

}  // namespace graft::inline v1
