#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1::detail {

/// Statistics of any kind, to which samples are added. Code that runs samples is compiled once for all kinds. Copies
/// refer to the same statistics.
class StatisticsSink {
 public:
  /// Refers to the statistics, which must outlive this.
  template <Statistic S>
  explicit StatisticsSink(Statistics<S>& statistics)
      : held_(std::make_shared<Holder<S>>(std::shared_ptr<Statistics<S>>(&statistics, [](auto*) {}))) {}
  /// Several statistics. Each gets the values under their own names.
  using Part = std::pair<std::vector<const Value*>, StatisticsSink>;
  explicit StatisticsSink(const std::vector<Part>& parts) : held_(std::make_shared<Joint>(parts)) {}

  void add(std::string_view name, const Tensor& tensor, const Range& range) const { held_->add(name, tensor, range); }
  /// Counts one sample more.
  void count(const SeenSamples& seen) const { held_->count(seen, true); }
  /// Counts one unreadable sample more.
  void skip(const SeenSamples& seen) const { held_->count(seen, false); }
  /// Throws Error unless these samples follow the seen ones.
  void check_follows(const SeenSamples& later) const { held_->check_follows(later); }
  std::uint64_t samples() const { return held_->samples(); }
  std::uint64_t skipped() const { return held_->skipped(); }

  /// Empty statistics of the same kind for another thread.
  StatisticsSink fork() const { return StatisticsSink(held_->fork()); }
  /// Adds the statistics of a fork. Throws Error as Statistics::merge() does.
  void merge(const StatisticsSink& fork) const { held_->merge(*fork.held_); }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual void add(std::string_view name, const Tensor& tensor, const Range& range) = 0;
    virtual void count(const SeenSamples& seen, bool is_read) = 0;
    virtual void check_follows(const SeenSamples& later) const = 0;
    virtual std::uint64_t samples() const = 0;
    virtual std::uint64_t skipped() const = 0;
    virtual std::shared_ptr<Held> fork() const = 0;
    virtual void merge(const Held& later) = 0;
  };

  template <Statistic S>
  struct Holder final : Held {
    explicit Holder(std::shared_ptr<Statistics<S>> held) : statistics(std::move(held)) {}
    void add(std::string_view name, const Tensor& tensor, const Range& range) override {
      statistics->of(name).add(tensor, range);
    }
    void count(const SeenSamples& seen, bool is_read) override {
      statistics->seen.merge(seen);
      ++(is_read ? statistics->samples : statistics->skipped);
    }
    void check_follows(const SeenSamples& later) const override { statistics->seen.check_follows(later); }
    std::uint64_t samples() const override { return statistics->samples; }
    std::uint64_t skipped() const override { return statistics->skipped; }
    std::shared_ptr<Held> fork() const override {
      return std::make_shared<Holder>(std::make_shared<Statistics<S>>(statistics->start()));
    }
    void merge(const Held& later) override { statistics->merge(*static_cast<const Holder&>(later).statistics); }
    std::shared_ptr<Statistics<S>> statistics;
  };

  struct Joint final : Held {
    Joint() = default;
    explicit Joint(const std::vector<Part>& parts) {
      for (const auto& [values, sink] : parts) {
        for (const Value* const value : values) places[std::string(value->name())].push_back(sinks.size());
        sinks.push_back(sink);
      }
    }
    void add(std::string_view name, const Tensor& tensor, const Range& range) override {
      if (const auto place = places.find(name); place != places.end())
        for (const std::size_t i : place->second) sinks[i].add(name, tensor, range);
    }
    void count(const SeenSamples& seen, bool is_read) override {
      for (const StatisticsSink& sink : sinks) sink.held_->count(seen, is_read);
    }
    void check_follows(const SeenSamples& later) const override {
      for (const StatisticsSink& sink : sinks) sink.check_follows(later);
    }
    std::uint64_t samples() const override { return sinks.front().samples(); }
    std::uint64_t skipped() const override { return sinks.front().skipped(); }
    std::shared_ptr<Held> fork() const override {
      auto joint = std::make_shared<Joint>();
      joint->places = places;
      for (const StatisticsSink& sink : sinks) joint->sinks.push_back(sink.fork());
      return joint;
    }
    void merge(const Held& later) override {
      const auto& others = static_cast<const Joint&>(later).sinks;
      for (std::size_t i = 0; i < sinks.size(); ++i) sinks[i].merge(others[i]);
    }
    std::vector<StatisticsSink> sinks;
    /// Copies names, because an executor may commit the model, which moves them.
    std::map<std::string, std::vector<std::size_t>, std::less<>> places;
  };

  explicit StatisticsSink(std::shared_ptr<Held> held) : held_(std::move(held)) {}

  std::shared_ptr<Held> held_;
};

}  // namespace graft::inline v1::detail
