#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>

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

/// A RangeObserver of any type, by default MinMax, so that what finds ranges is compiled once for all of them.
class AnyRangeObserver {
 public:
  /// Gathers statistics of samples; false if it was cancelled.
  using Gather = std::function<bool(const detail::StatisticsSink& statistics)>;

  AnyRangeObserver();
  template <class O>
  requires(!std::same_as<O, AnyRangeObserver> && RangeObserver<O>) AnyRangeObserver(O observer)
      : ranges_([observer = std::move(observer)](const Gather& gather) -> std::optional<Ranges> {
          Statistics<typename O::Statistic> statistics(observer.start());
          if (!gather(detail::StatisticsSink(statistics))) return std::nullopt;
          return ranges_of(observer, statistics);
        }) {}

  /// Starts statistics, has them gathered, and makes ranges of them; nothing if that was cancelled. Throws whatever the
  /// observer and gather throw.
  std::optional<Ranges> ranges(const Gather& gather) const { return ranges_(gather); }
  /// Whether nobody chose it.
  bool is_default() const { return is_default_; }

 private:
  std::function<std::optional<Ranges>(const Gather&)> ranges_;
  bool is_default_ = false;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observer.ipp>
#endif
