#pragma once
#include <concepts>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// How a tensor's range is found: a statistic that is gathered of it, started by start(), and the range that follows
/// from what was gathered, which holds nothing (empty) if nothing was seen.
template <class O>
concept RangeObserver = requires(const O& observer, const typename O::Statistic& statistic) {
  requires Statistic<typename O::Statistic>;
  { observer.start() } -> std::same_as<typename O::Statistic>;
  { observer.range(statistic) } -> std::same_as<Range>;
};

/// The ranges that an observer makes of statistics that are enough for it, those of another observer perhaps: whoever
/// has histograms can try percentiles, entropy and more without running the model again. Range() is that of a tensor
/// which was empty on all samples. Throws Error as Ranges do.
template <class O, Statistic S>
Ranges ranges_of(const O& observer, const Statistics<S>& statistics) {
  Ranges result;
  for (const auto& [name, statistic] : statistics) result.set(name, observer.range(statistic));
  return result;
}

}  // namespace graft::inline v1
