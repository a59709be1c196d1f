#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/calibrate/statistic.hpp>
#include <graft/quantize/detail/rename_key.hpp>

namespace graft::inline v1 {

/// A statistic for each tensor, by name, with the number of samples, the number of skipped ones, and, if known, their
/// identities.
template <Statistic S>
class Statistics {
 public:
  static constexpr std::string_view fact_name = S::kind;
  static constexpr std::string_view fact_maker = [] {
    if constexpr (requires { S::fact_maker; }) return S::fact_maker;
    return std::string_view("an observer");
  }();

  /// The statistic of each tensor starts as a copy of `start`, with its parameters.
  explicit Statistics(S start = S()) : start_(std::move(start)) {}

  std::uint64_t samples = 0, skipped = 0;
  SeenSamples seen;  // the samples that have an identity
  /// The settings of the run, in the caller's words: {"preprocessing", "224x224, 0 to 1"}.
  std::map<std::string, std::string> settings;

  /// nullptr if the tensor was not seen.
  const S* find(std::string_view name) const {
    const auto place = by_name_.find(name);
    return place == by_name_.end() ? nullptr : &place->second;
  }
  /// The statistic of the tensor; a new one is started if needed.
  S& of(std::string_view name) {
    const auto place = by_name_.find(name);
    return place != by_name_.end() ? place->second : by_name_.emplace(name, start_).first->second;
  }
  void erase(std::string_view name) {
    if (const auto place = by_name_.find(name); place != by_name_.end()) by_name_.erase(place);
  }
  void rename(std::string_view from, std::string_view to) {
    detail::rename_key(by_name_, from, to);
  }
  /// Sets the statistic of the tensor, whose channels are those of the parts in order, from the statistics of the
  /// parts. Sets none if a part has no statistic.
  void join(std::string_view name, std::span<const std::string> parts)
    requires requires(S all, const S& further) { all.append_channels(further); }
  {
    S joined = start_;
    for (const std::string& part : parts) {
      const S* const known = find(part);
      if (known == nullptr) return erase(name);
      joined.append_channels(*known);
    }
    by_name_.insert_or_assign(std::string(name), std::move(joined));
  }
  /// Adds the statistics of later samples. Throws Error, and changes nothing, if their settings differ or their samples
  /// do not follow these. Throws Error with the tensor's name if its statistics do not merge.
  void merge(const Statistics& later) {
    for (const auto& [name, setting] : later.settings) {
      const auto own = settings.find(name);
      if (own != settings.end() && own->second != setting)
        detail::raise(Error("is '" + setting + "', not '" + own->second + "'").field(name));
    }
    seen.merge(later.seen);
    settings.insert(later.settings.begin(), later.settings.end());
    for (const auto& [name, statistic] : later) {
      S& own = of(name);
      detail::with_part(&Error::field, name, [&own, &added = statistic] { own.merge(added); });
    }
    samples += later.samples;
    skipped += later.skipped;
  }

  const S& start() const { return start_; }
  std::size_t size() const { return by_name_.size(); }
  bool empty() const { return by_name_.empty(); }
  typename std::map<std::string, S, std::less<>>::const_iterator begin() const { return by_name_.begin(); }
  typename std::map<std::string, S, std::less<>>::const_iterator end() const { return by_name_.end(); }
  friend bool operator==(const Statistics&, const Statistics&) = default;

 private:
  S start_;
  std::map<std::string, S, std::less<>> by_name_;
};

}  // namespace graft::inline v1
