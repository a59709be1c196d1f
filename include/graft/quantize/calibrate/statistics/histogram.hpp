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

/// Counts values in at most 2048 bins, 16 KiB. A bin is [n, n + 1) * 2^exponent, with the least exponent for which at
/// most 2048 bins reach from the least to the greatest value. When values spread, pairs of bins are joined and no count
/// is ever split. So the bins depend on the values only, not on their order or on how they were shared out.
class Histogram {
 public:
  static constexpr std::string_view kind = "histogram";
  static constexpr std::string_view fact_maker = "observe_histograms";
  static constexpr std::int64_t max_bins = 2048;
  [[deprecated("use max_bins")]] static constexpr std::int64_t most_bins = max_bins;

  const Range& range() const { return range_; }
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t total() const;
  /// The width of a bin.
  double width() const;
  /// The start of a bin, which is the end of the bin before.
  double edge(std::size_t bin) const;

  void add(const Tensor& tensor, const Range& range);
  void merge(const Histogram& later);
  /// Appends the values of further channels.
  void append_channels(const Histogram& further) { merge(further); }
  friend bool operator==(const Histogram&, const Histogram&) = default;

  void write(detail::StatisticOutput& out) const;
  static Histogram read(detail::StatisticInput& in);

 private:
  static std::int64_t place(float value, int exponent);

  /// The least exponent that needs few enough bins, and is not finer than the digits of the largest value.
  static int exponent_for(const Range& range);

  /// Makes room for the present bins and for a new range.
  void cover(const Range& range);

  /// Adds the counts of bins of the same or a smaller width.
  void take(std::span<const std::uint64_t> counts, std::int64_t first, int exponent);

  Range range_;
  int exponent_ = 0;
  std::int64_t first_ = 0;  // the first bin's n
  std::vector<std::uint64_t> counts_;
};

}  // namespace graft::inline v1
