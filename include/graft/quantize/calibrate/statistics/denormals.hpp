#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// How many values are denormal: not 0, and of a magnitude below 2^-126. Processors compute with these many times
/// slower than with others.
class Denormals {
 public:
  static constexpr std::string_view kind = "denormals";

  std::uint64_t count() const { return count_; }
  /// From 0 to 1; 0 before anything was seen.
  double share() const { return total_ == 0 ? 0 : static_cast<double>(count_) / static_cast<double>(total_); }

  void add(const Tensor& tensor, const Range& range);
  void merge(const Denormals& later);
  friend bool operator==(const Denormals&, const Denormals&) = default;

  void write(detail::StatisticOutput& out) const;
  static Denormals read(detail::StatisticInput& in);

 private:
  std::uint64_t count_ = 0, total_ = 0;
};

/// What slows a float model down: the tensors of which a larger share is denormal, the largest first. Empty if there is
/// none.
std::vector<std::string> notes_on_denormals(const Statistics<Denormals>& seen, double share = 0.01);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/statistics/denormals.ipp>
#endif
