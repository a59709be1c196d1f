#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/quantize/statistic.hpp>

namespace graft::inline v1 {

/// How many values fall into each of at most 2048 bins, 16 KiB. A bin is [n, n + 1) * 2^exponent; the exponent is the
/// least with which the bins from the least to the greatest value are few enough. As values spread, two bins become one
/// and no count is ever split: the bins depend on the values alone, not on their order nor on how they were shared out.
class Histogram {
 public:
  static constexpr std::string_view kind = "histogram";
  static constexpr std::int64_t most_bins = 2048;

  const Range& range() const { return range_; }
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t total() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }
  /// The width of a bin.
  double width() const { return std::ldexp(1.0, exponent_); }
  /// Where a bin begins, and the one before it ends.
  double edge(std::size_t bin) const {
    return std::ldexp(static_cast<double>(first_ + static_cast<std::int64_t>(bin)), exponent_);
  }

  void add(const Tensor& tensor, const Range& range) {
    if (range.empty()) return;
    cover(range);
    const double per_unit = std::ldexp(1.0, -exponent_);
    const auto first = static_cast<std::int32_t>(first_);  // at most 2^24 apart from 0, as floats have 24 digits
    for (const float value : tensor.data<float>()) {
      const double x = static_cast<double>(value) * per_unit;  // exact
      const auto towards_zero = static_cast<std::int32_t>(x);
      ++counts_[static_cast<std::size_t>(towards_zero - static_cast<std::int32_t>(x < towards_zero) - first)];
    }
  }
  void merge(const Histogram& later) {
    if (later.range_.empty()) return;
    cover(later.range_);
    take(later.counts_, later.first_, later.exponent_);
  }
  friend bool operator==(const Histogram&, const Histogram&) = default;

  void write(detail::StatisticOutput& out) const {
    detail::write_range(out, range_);
    for (const std::uint64_t count : counts_) out.WriteVarint64(count);
  }
  static Histogram read(detail::StatisticInput& in) {
    Histogram result;
    const Range range = detail::read_range(in);
    if (!range.empty()) result.cover(range);
    for (std::uint64_t& count : result.counts_) count = detail::read_count(in);
    return result;
  }

 private:
  static std::int64_t place(float value, int exponent) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(value), -exponent)));
  }

  /// The least exponent whose bins are few enough, and not finer than the largest value's own digits.
  static int exponent_for(const Range& range) {
    constexpr int finest = std::numeric_limits<float>::min_exponent - std::numeric_limits<float>::digits;
    const float largest = std::max(std::abs(range.min), std::abs(range.max));
    const double span = static_cast<double>(range.max) - static_cast<double>(range.min);
    int exponent = finest;
    if (largest > 0) exponent = std::max(exponent, std::ilogb(largest) + 1 - std::numeric_limits<float>::digits);
    if (span > 0) exponent = std::max(exponent, std::ilogb(span) - std::ilogb(most_bins));
    while (place(range.max, exponent) - place(range.min, exponent) >= most_bins) ++exponent;
    return exponent;
  }

  /// Bins for what there is and for a range that comes.
  void cover(const Range& range) {
    if (range.within(range_)) return;
    range_.merge(range);
    const int exponent = std::exchange(exponent_, exponent_for(range_));
    const std::int64_t first = std::exchange(first_, place(range_.min, exponent_));
    const std::vector<std::uint64_t> counts = std::exchange(
        counts_, std::vector<std::uint64_t>(static_cast<std::size_t>(place(range_.max, exponent_) - first_ + 1)));
    take(counts, first, exponent);
  }

  /// Adds counts of bins that are as wide or narrower.
  void take(std::span<const std::uint64_t> counts, std::int64_t first, int exponent) {
    const int halvings = std::min(exponent_ - exponent, 63);  // by then each is 0 or -1
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::int64_t bin = (first + static_cast<std::int64_t>(i)) >> halvings;
      counts_[static_cast<std::size_t>(bin - first_)] += counts[i];
    }
  }

  Range range_;
  int exponent_ = 0;
  std::int64_t first_ = 0;  // the first bin's n
  std::vector<std::uint64_t> counts_;
};

}  // namespace graft::inline v1
