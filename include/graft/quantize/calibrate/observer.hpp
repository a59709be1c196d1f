#pragma once
#include <concepts>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// Finds a tensor's range: start() makes an empty statistic, and range() computes the range from the gathered one. The
/// range is empty if no value was seen. A name() is optional: it identifies the observer in reports.
template <class O>
concept RangeObserver = requires(const O& observer, const typename O::Statistic& statistic) {
  requires Statistic<typename O::Statistic>;
  { observer.start() } -> std::same_as<typename O::Statistic>;
  { observer.range(statistic) } -> std::same_as<Range>;
};

/// Computes ranges from statistics by any observer that can read them, which need not be the one for which they were
/// gathered. From histograms, percentiles, entropy and more can be tried without running the model again. A tensor that
/// was empty on all samples gets Range(). Throws Error as Ranges do.
template <class O, Statistic S>
Ranges ranges_of(const O& observer, const Statistics<S>& statistics) {
  Ranges result;
  for (const auto& [name, statistic] : statistics) result.set(name, observer.range(statistic));
  return result;
}

}  // namespace graft::inline v1
