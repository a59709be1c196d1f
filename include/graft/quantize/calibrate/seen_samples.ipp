#pragma once
#include <graft/quantize/calibrate/seen_samples.hpp>

#include <algorithm>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE SeenSamples::SeenSamples(const Run& run) : runs_{run} {
  if (run.first >= run.last) throw Error("holds a run of no samples");
}

GRAFT_INLINE std::uint64_t SeenSamples::count() const {
  std::uint64_t sum = 0;
  for (const Run& run : runs_) sum += run.last - run.first;
  return sum;
}

GRAFT_INLINE void SeenSamples::add(std::uint64_t index, std::string_view name) {
  if (index + 1 == 0) throw Error("no sample can have the index " + std::to_string(index));
  merge(SeenSamples({index, index + 1, detail::summable_checksum(index, name)}));
}

GRAFT_INLINE void SeenSamples::write(detail::StatisticOutput& out) const {
  out.WriteVarint64(runs_.size());
  for (const Run& run : runs_) {
    out.WriteVarint64(run.first);
    out.WriteVarint64(run.last);
    out.WriteLittleEndian64(run.checksum);
  }
}

GRAFT_INLINE SeenSamples SeenSamples::read(detail::StatisticInput& in) {
  SeenSamples seen;
  for (std::uint64_t left = detail::read_count(in); left > 0; --left) {
    Run run{detail::read_count(in), detail::read_count(in)};
    detail::check_read(in.ReadLittleEndian64(&run.checksum));
    seen.merge(SeenSamples(run));
  }
  return seen;
}

GRAFT_INLINE std::string to_string(const SeenSamples& seen) {
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

GRAFT_INLINE void SeenSamples::check_follows(const SeenSamples& later) const {
  if (!runs_.empty() && !later.runs_.empty() && later.runs_.front().first < runs_.back().last)
    throw Error(to_string(later) + " cannot follow " + to_string(*this) + ": each counts once, in order");
}

GRAFT_INLINE void SeenSamples::merge(const SeenSamples& later) {
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
