#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>

namespace graft::inline v1 {

/// Finds a tensor's range: start() makes an empty statistic, and range() computes the range from the gathered one. The
/// range is empty if no value was seen.
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

/// A RangeObserver of any type, by default MinMax. Code that finds ranges is compiled once for all types.
class AnyRangeObserver {
 public:
  /// Gathers statistics of samples; returns false if it was cancelled.
  using Gather = std::function<bool(const detail::StatisticsSink& statistics)>;

  AnyRangeObserver();
  template <class O>
  requires(!std::same_as<O, AnyRangeObserver> && RangeObserver<O>) AnyRangeObserver(O observer)
      : ranges_([observer = std::move(observer)](const Gather& gather) -> std::optional<Ranges> {
          Statistics<typename O::Statistic> statistics(observer.start());
          if (!gather(detail::StatisticsSink(statistics))) return std::nullopt;
          return ranges_of(observer, statistics);
        }) {}

  /// Starts statistics, gathers them, and returns their ranges; nullopt if it was cancelled. Throws the errors of the
  /// observer and of `gather`.
  std::optional<Ranges> ranges(const Gather& gather) const { return ranges_(gather); }
  /// Whether it was default-constructed.
  bool is_default() const { return is_default_; }

 private:
  std::function<std::optional<Ranges>(const Gather&)> ranges_;
  bool is_default_ = false;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observer.ipp>
#endif
