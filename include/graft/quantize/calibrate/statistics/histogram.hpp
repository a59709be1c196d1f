#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// How many values fall into each of at most 2048 bins, 16 KiB. A bin is [n, n + 1) * 2^exponent; the exponent is the
/// least with which the bins from the least to the greatest value are few enough. As values spread, two bins become one
/// and no count is ever split: the bins depend on the values alone, not on their order nor on how they were shared out.
class Histogram {
 public:
  static constexpr std::string_view kind = "histogram";
  static constexpr std::string_view fact_maker = "observe_histograms";
  static constexpr std::int64_t most_bins = 2048;

  const Range& range() const { return range_; }
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t total() const;
  /// The width of a bin.
  double width() const;
  /// Where a bin begins, and the one before it ends.
  double edge(std::size_t bin) const;

  void add(const Tensor& tensor, const Range& range);
  void merge(const Histogram& later);
  /// The values of further channels count with the others.
  void append_channels(const Histogram& further) { merge(further); }
  friend bool operator==(const Histogram&, const Histogram&) = default;

  void write(detail::StatisticOutput& out) const;
  static Histogram read(detail::StatisticInput& in);

 private:
  static std::int64_t place(float value, int exponent);

  /// The least exponent whose bins are few enough, and not finer than the largest value's own digits.
  static int exponent_for(const Range& range);

  /// Bins for what there is and for a range that comes.
  void cover(const Range& range);

  /// Adds counts of bins that are as wide or narrower.
  void take(std::span<const std::uint64_t> counts, std::int64_t first, int exponent);

  Range range_;
  int exponent_ = 0;
  std::int64_t first_ = 0;  // the first bin's n
  std::vector<std::uint64_t> counts_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/statistics/histogram.ipp>
#endif
