#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// The samples of a sequence that were seen: runs of consecutive samples, each with a checksum of the samples' names.
/// Adjacent runs are joined. The size depends on the number of gaps, not of samples, and the result does not depend on
/// how samples were shared out.
class SeenSamples {
 public:
  /// The samples at [first, last) in the sequence.
  struct Run {
    std::uint64_t first = 0, last = 0;
    std::uint64_t checksum = 0;  // the sum of the checksums of its samples
    friend bool operator==(const Run&, const Run&) = default;
  };

  SeenSamples() = default;
  /// Throws Error if the run is empty.
  explicit SeenSamples(const Run& run);

  const std::vector<Run>& runs() const { return runs_; }
  std::uint64_t count() const;

  /// Adds the sample with this index and name. Throws Error as merge() does, and for the greatest integer.
  void add(std::uint64_t index, std::string_view name);
  /// Throws Error, and changes nothing, unless the later samples follow all seen ones. So no sample counts twice.
  void merge(const SeenSamples& later);
  /// Throws Error if merge() would.
  void check_follows(const SeenSamples& later) const;

  friend bool operator==(const SeenSamples&, const SeenSamples&) = default;

  void write(detail::StatisticOutput& out) const;
  static SeenSamples read(detail::StatisticInput& in);

 private:
  std::vector<Run> runs_;
};

/// "samples 0 to 4, 7, 9 to 11", "sample 3", or "no known samples"; after 5 runs, the number of remaining samples.
std::string to_string(const SeenSamples& seen);

}  // namespace graft::inline v1
