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

/// Counts denormal values: not 0, and with a magnitude below 2^-126. Processors compute many times slower with them.
class Denormals {
 public:
  static constexpr std::string_view kind = "denormals";

  std::uint64_t count() const { return count_; }
  /// The share of denormal values, from 0 to 1; 0 before a value was seen.
  double share() const { return total_ == 0 ? 0 : static_cast<double>(count_) / static_cast<double>(total_); }

  void add(const Tensor& tensor, const Range& range);
  void merge(const Denormals& later);
  friend bool operator==(const Denormals&, const Denormals&) = default;

  void write(detail::StatisticOutput& out) const;
  static Denormals read(detail::StatisticInput& in);

 private:
  std::uint64_t count_ = 0, total_ = 0;
};

/// Notes on tensors with a larger share of denormal values, the largest first. These slow a float model down.
std::vector<std::string> notes_on_denormals(const Statistics<Denormals>& seen, double share = 0.01);

}  // namespace graft::inline v1
