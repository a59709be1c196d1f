#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1 {

/// Which samples of a sequence were seen: runs of them, each with a checksum of what its samples are called. Runs that
/// touch are one: this grows with the gaps, not with the samples, and is the same however they were shared out.
class SeenSamples {
 public:
  /// Those at [first, last) in the sequence.
  struct Run {
    std::uint64_t first = 0, last = 0;
    std::uint64_t checksum = 0;  // the sum of its samples' own
    friend bool operator==(const Run&, const Run&) = default;
  };

  SeenSamples() = default;
  /// Throws Error if the run is empty.
  explicit SeenSamples(const Run& run);

  const std::vector<Run>& runs() const { return runs_; }
  std::uint64_t count() const;

  /// The sample that stands there and is called so. Throws Error as merge() does, and for the last of all integers.
  void add(std::uint64_t index, std::string_view name);
  /// Throws Error, and changes nothing, unless the later ones come after all that were seen: a sample counts once.
  void merge(const SeenSamples& later);
  /// Throws Error where merge() does.
  void check_follows(const SeenSamples& later) const;

  friend bool operator==(const SeenSamples&, const SeenSamples&) = default;

  void write(detail::StatisticOutput& out) const;
  static SeenSamples read(detail::StatisticInput& in);

 private:
  std::vector<Run> runs_;
};

/// "samples 0 to 4, 7, 9 to 11", "sample 3", or "no known samples"; of more than 5 runs, how many samples are left.
std::string to_string(const SeenSamples& seen);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/seen_samples.ipp>
#endif
