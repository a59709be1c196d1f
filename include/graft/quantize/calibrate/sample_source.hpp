#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/quantize/calibrate/sample.hpp>

namespace graft::inline v1 {

/// A range of Samples or Feeds for a for loop: a vector, a SampleStream, a generator.
template <class R>
concept SampleRange = requires(R& range) {
  { *std::begin(range) } -> std::convertible_to<Sample>;
  std::end(range);
};

/// The sample at one index of a source, or the reason why it cannot be read.
struct MaybeSample {
  std::optional<Sample> sample{};
  std::string why{};
  std::optional<SampleIdentity> identity{};  ///< of an unreadable sample, if it is known
};

/// The samples of a range of any type. Code that reads samples is compiled once for all types. Copies share the range.
///
/// A range is indexed if it has a size, and an operator[] that returns a Sample or Feeds: several threads may read from
/// it at the same time. It may also have identity(i), the SampleIdentity of a sample, which must not need to read the
/// sample.
class SampleSource {
 public:
  using Visit = std::function<bool(const Sample& sample)>;

  /// Owns the range, copied or moved.
  template <class R, class Range = std::remove_cvref_t<R>>
    requires(!std::same_as<Range, SampleSource> && !std::is_array_v<Range> && SampleRange<Range>)
  SampleSource(R&& range) : held_(std::make_shared<Holder<Range>>(std::forward<R>(range))) {}
  /// Refers to the range, which must outlive this: SampleSource(std::ref(samples)).
  template <SampleRange R>
  SampleSource(std::reference_wrapper<R> range) : held_(std::make_shared<Holder<R&>>(range.get())) {}

  /// nullopt if the range does not know its size.
  std::optional<std::size_t> size() const { return held_->size(); }
  bool is_indexed() const { return held_->is_indexed(); }
  /// The sample at that index of an indexed range. Throws the errors of the range; if unreadable samples are skipped,
  /// returns an Error instead.
  MaybeSample at(std::size_t i) const;
  /// These samples, without those of an indexed range whose reading throws an Error.
  SampleSource skipping_unreadable() const;
  /// The samples at these indices of an indexed range.
  SampleSource part(std::vector<std::size_t> places) const;
  /// These samples; copies the first `count` to `kept` on the way. They are not indexed.
  SampleSource keeping(std::shared_ptr<std::vector<Sample>> kept, std::size_t most) const;
  /// False if the range's iterators are input iterators and not forward iterators, as the standard defines these.
  bool begins_anew() const { return held_->begins_anew; }
  /// Calls visit with each sample from the first on, until visit returns false. Calls `unreadable` with the reason for
  /// each skipped sample. Throws Error on the second call if the range cannot begin again, and the errors of the range
  /// and of visit.
  void for_each(const Visit& visit, const std::function<void(const std::string& why)>& unreadable = {}) const;

 private:
  struct Held {
    explicit Held(bool anew) : begins_anew(anew) {}
    virtual ~Held() = default;
    virtual std::optional<std::size_t> size() const = 0;
    virtual void for_each(const Visit& visit) = 0;
    virtual bool is_indexed() const { return false; }
    virtual Sample at(std::size_t i) const;
    virtual std::optional<SampleIdentity> identity(std::size_t) const { return std::nullopt; }
    const bool begins_anew;
    bool begun = false;
  };

  template <class R>
  static constexpr bool is_single_pass() {
    using Iterator = decltype(std::begin(std::declval<R&>()));
    return std::input_iterator<Iterator> && !std::forward_iterator<Iterator>;
  }

  template <class R>
  struct Holder final : Held {
    template <class From>
    explicit Holder(From&& from)
        : Held(!is_single_pass<std::remove_reference_t<R>>()), range(std::forward<From>(from)) {}
    std::optional<std::size_t> size() const override {
      if constexpr (requires { std::size(range); }) return static_cast<std::size_t>(std::size(range));
      return std::nullopt;
    }
    using Const = const std::remove_reference_t<R>;
    static constexpr bool has_index = requires(Const& all, std::size_t i) {
      std::size(all);
      { all[i] } -> std::convertible_to<Sample>;
    };
    bool is_indexed() const override { return has_index; }
    Sample at(std::size_t i) const override {
      if constexpr (has_index) return std::as_const(range)[i];
      return Held::at(i);
    }
    std::optional<SampleIdentity> identity(std::size_t i) const override {
      if constexpr (requires(Const& all) { { all.identity(i) } -> std::convertible_to<SampleIdentity>; })
        return std::as_const(range).identity(i);
      return std::nullopt;
    }
    void for_each(const Visit& visit) override {
      if constexpr (SampleRange<const std::remove_reference_t<R>>)
        visit_each(std::as_const(range), visit);
      else
        visit_each(range, visit);
    }
    template <class Any>
    static void visit_each(Any& all, const Visit& visit) {
      for (auto&& each : all) {
        const Sample& sample = std::forward<decltype(each)>(each);
        if (!visit(sample)) return;
      }
    }
    R range;
  };

  struct Part;
  struct Kept;

  explicit SampleSource(std::shared_ptr<Held> held) : held_(std::move(held)) {}

  std::shared_ptr<Held> held_;
  bool skips_ = false;
};

namespace detail {

/// Refers to the samples, for a call that ends before their lifetime does.
template <SampleRange R>
SampleSource borrowed(R& samples) {
  return SampleSource(std::ref(samples));
}
inline SampleSource borrowed(const SampleSource& samples) { return samples; }

}  // namespace detail

}  // namespace graft::inline v1
