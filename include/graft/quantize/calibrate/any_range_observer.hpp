#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include <graft/quantize/detail/statistics_sink.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// A RangeObserver of any type, by default MinMax, so that what finds ranges is compiled once for all of them.
class AnyRangeObserver {
 public:
  /// Gathers statistics of samples; false if it was cancelled.
  using Gather = std::function<bool(const detail::StatisticsSink& statistics)>;

  AnyRangeObserver();
  template <class O>
    requires(!std::same_as<O, AnyRangeObserver> && RangeObserver<O>)
  AnyRangeObserver(O observer)
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
#include <graft/quantize/calibrate/any_range_observer.ipp>
#endif
