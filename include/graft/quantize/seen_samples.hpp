#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/quantize/detail/checksum.hpp>
#include <graft/quantize/detail/statistic_stream.hpp>

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
  explicit SeenSamples(const Run& run) : runs_{run} {
    if (run.first >= run.last) throw Error("holds a run of no samples");
  }

  const std::vector<Run>& runs() const { return runs_; }
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const Run& run : runs_) sum += run.last - run.first;
    return sum;
  }

  /// The sample that stands there and is called so. Throws Error as merge() does, and for the last of all integers.
  void add(std::uint64_t index, std::string_view name) {
    if (index + 1 == 0) throw Error("no sample can stand at " + std::to_string(index));
    merge(SeenSamples({index, index + 1, detail::summable_checksum(index, name)}));
  }
  /// Throws Error, and changes nothing, unless the later ones come after all that were seen: a sample counts once.
  void merge(const SeenSamples& later);
  /// Throws Error where merge() does.
  void check_follows(const SeenSamples& later) const;

  friend bool operator==(const SeenSamples&, const SeenSamples&) = default;

  void write(detail::StatisticOutput& out) const {
    out.WriteVarint64(runs_.size());
    for (const Run& run : runs_) {
      out.WriteVarint64(run.first);
      out.WriteVarint64(run.last);
      out.WriteLittleEndian64(run.checksum);
    }
  }
  static SeenSamples read(detail::StatisticInput& in) {
    SeenSamples seen;
    for (std::uint64_t left = detail::read_count(in); left > 0; --left) {
      Run run{detail::read_count(in), detail::read_count(in)};
      detail::check_read(in.ReadLittleEndian64(&run.checksum));
      seen.merge(SeenSamples(run));
    }
    return seen;
  }

 private:
  std::vector<Run> runs_;
};

/// "samples 0 to 4, 7, 9 to 11", "sample 3", or "no known samples"; of more than 5 runs, how many samples are left.
inline std::string to_string(const SeenSamples& seen) {
  std::uint64_t left = seen.count();
  if (left == 0) return "no known samples";
  std::string text = left == 1 ? "sample " : "samples ";
  for (std::size_t i = 0; i < std::min<std::size_t>(seen.runs().size(), 5); ++i) {
    const SeenSamples::Run& run = seen.runs()[i];
    text += (i == 0 ? "" : ", ") + std::to_string(run.first);
    if (run.last - run.first > 1) text += " to " + std::to_string(run.last - 1);
    left -= run.last - run.first;
  }
  return left == 0 ? text : text + " and " + std::to_string(left) + " more";
}

inline void SeenSamples::check_follows(const SeenSamples& later) const {
  if (!runs_.empty() && !later.runs_.empty() && later.runs_.front().first < runs_.back().last)
    throw Error(to_string(later) + " cannot follow " + to_string(*this) + ": each counts once, in order");
}

inline void SeenSamples::merge(const SeenSamples& later) {
  check_follows(later);
  auto run = later.runs_.begin();
  if (run != later.runs_.end() && !runs_.empty() && run->first == runs_.back().last) {
    runs_.back().last = run->last;
    runs_.back().checksum += run->checksum;
    ++run;
  }
  runs_.insert(runs_.end(), run, later.runs_.end());
}

}  // namespace graft::inline v1
