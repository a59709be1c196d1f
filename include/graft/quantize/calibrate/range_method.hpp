#pragma once
#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>

namespace graft::inline v1 {

/// A named way to find ranges: a RangeObserver of any type. Code that finds ranges is compiled once for all of them.
class RangeMethod {
 public:
  /// Gathers statistics of samples; returns false if it was cancelled.
  using Gather = std::function<bool(const detail::StatisticsSink& statistics)>;

  /// The name of an observer without a name() is "observer".
  template <class O>
  requires(!std::same_as<O, RangeMethod> && RangeObserver<O>) RangeMethod(O observer)
      : RangeMethod(name_of(observer), std::move(observer)) {}
  template <RangeObserver O>
  RangeMethod(std::string name, O observer)
      : name_(std::move(name)),
        find_([observer](const Gather& gather) -> std::optional<Ranges> {
          Statistics<typename O::Statistic> statistics(observer.start());
          if (!gather(detail::StatisticsSink(statistics))) return std::nullopt;
          return ranges_of(observer, statistics);
        }),
        gathers_histograms_(std::same_as<typename O::Statistic, Histogram>) {
    if constexpr (requires(const Histogram& seen) { observer.range(seen); })
      from_histogram_ = [observer = std::move(observer)](const Histogram& seen) { return observer.range(seen); };
  }

  const std::string& name() const { return name_; }
  /// Starts statistics, gathers them, and returns their ranges; nullopt if it was cancelled. Throws the errors of the
  /// observer and of `gather`.
  std::optional<Ranges> find(const Gather& gather) const { return find_(gather); }

  /// Whether the observer gathers histograms.
  bool gathers_histograms() const { return gathers_histograms_; }
  /// Whether it can read histograms. One run of the samples serves all methods that can.
  bool reads_histograms() const { return from_histogram_ != nullptr; }
  /// The range of a tensor with this histogram. Throws Error if the method cannot read histograms.
  Range range(const Histogram& seen) const;

 private:
  template <class O>
  static std::string name_of(const O& observer) {
    if constexpr (requires {
                    { observer.name() } -> std::convertible_to<std::string>;
                  })
      return observer.name();
    return "observer";
  }

  std::string name_;
  std::function<std::optional<Ranges>(const Gather&)> find_;
  std::function<Range(const Histogram&)> from_histogram_{};
  bool gathers_histograms_;
};

using AnyRangeObserver [[deprecated("use RangeMethod")]] = RangeMethod;
using RangeChoice [[deprecated("use RangeMethod")]] = RangeMethod;

/// How ranges are found: by methods on samples, or they are known.
class RangeSource {
 public:
  template <class M>
  requires(!std::same_as<M, RangeSource> && std::convertible_to<M, RangeMethod>) RangeSource(M method)
      : methods_{RangeMethod(std::move(method))} {}
  RangeSource(std::initializer_list<RangeMethod> methods) : methods_(methods) {}
  RangeSource(std::vector<RangeMethod> methods) : methods_(std::move(methods)) {}
  RangeSource(Ranges known) : known_(std::move(known)) {}

  /// None if the ranges are known.
  const std::vector<RangeMethod>& methods() const { return methods_; }
  /// nullptr if they are not known.
  const Ranges* known() const { return known_ ? &*known_ : nullptr; }

 private:
  std::vector<RangeMethod> methods_{};
  std::optional<Ranges> known_{};
};

/// Methods that read histograms and suit one net or another; the first suits most. The others are compared with it.
/// bits: of activations.
std::vector<RangeMethod> usual_range_methods(int bits = 8);
[[deprecated("use usual_range_methods()")]] inline std::vector<RangeMethod> usual_range_choices() {
  return usual_range_methods();
}

}  // namespace graft::inline v1
