#pragma once
#include <string_view>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The least and the greatest value.
class Extremes {
 public:
  static constexpr std::string_view kind = "extremes";

  const Range& range() const { return range_; }

  void add(const Tensor&, const Range& range) { range_.merge(range); }
  void merge(const Extremes& later) { range_.merge(later.range_); }
  friend bool operator==(const Extremes&, const Extremes&) = default;

  void write(detail::StatisticOutput& out) const { detail::write_range(out, range_); }
  static Extremes read(detail::StatisticInput& in);

 private:
  Range range_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/statistics/extremes.ipp>
#endif
