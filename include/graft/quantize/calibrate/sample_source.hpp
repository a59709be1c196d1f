#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <graft/quantize/calibrate/sample.hpp>

namespace graft::inline v1 {

/// What a for loop takes Samples from, or Feeds: a vector, a SampleStream, a generator.
template <class R>
concept SampleRange = requires(R& range) {
  { *std::begin(range) } -> std::convertible_to<Sample>;
  std::end(range);
};

/// The samples of a range of any type, so that what goes through samples is compiled once for all of them. Copies share
/// the range.
class SampleSource {
 public:
  using Visit = std::function<bool(const Sample& sample)>;

  /// Holds the range, copied or moved.
  template <class R, class Range = std::remove_cvref_t<R>>
    requires(!std::same_as<Range, SampleSource> && !std::is_array_v<Range> && SampleRange<Range>)
  SampleSource(R&& range) : held_(std::make_shared<Holder<Range>>(std::forward<R>(range))) {}
  /// A range that stays where it is, and outlives this: SampleSource(std::ref(samples)).
  template <SampleRange R>
  SampleSource(std::reference_wrapper<R> range) : held_(std::make_shared<Holder<R&>>(range.get())) {}

  /// Nothing where the range does not know.
  std::optional<std::size_t> size() const { return held_->size(); }
  /// False where the range has input iterators that are not forward iterators, in the standard's words.
  bool begins_anew() const { return held_->begins_anew; }
  /// Calls visit with each sample, from the first on, until it returns false. Throws Error the second time if the range
  /// does not begin anew, and whatever the range and visit throw.
  void for_each(const Visit& visit) const;

 private:
  struct Held {
    explicit Held(bool anew) : begins_anew(anew) {}
    virtual ~Held() = default;
    virtual std::optional<std::size_t> size() const = 0;
    virtual void for_each(const Visit& visit) = 0;
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

  std::shared_ptr<Held> held_;
};

namespace detail {

/// The samples where they are, for a call that ends before they do.
template <SampleRange R>
SampleSource borrowed(R& samples) {
  return SampleSource(std::ref(samples));
}
inline SampleSource borrowed(const SampleSource& samples) { return samples; }

}  // namespace detail

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/sample_source.ipp>
#endif
