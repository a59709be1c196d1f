// Statistics of every kind are read, written, merged, and made ranges of. Inputs lack the checksum: few would have the
// right one.
#include <cstddef>
#include <cstdint>
#include <string>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <graft/quantize.hpp>

#include "fuzz/finding.hpp"

namespace {

/// By those of the observers that can.
template <graft::Statistic S, class... Observers>
void make_ranges(const graft::Statistics<S>& statistics, const Observers&... observers) {
  const auto make = [&](const auto& observer) {
    if constexpr (requires(const S& seen) { observer.range(seen); })
      static_cast<void>(to_json(graft::ranges_of(observer, statistics)));
  };
  (make(observers), ...);
}

template <graft::Statistic S>
void try_kind(const std::string& bytes) {
  graft::Statistics<S> statistics = graft::statistics_from_bytes<S>(bytes);
  const std::string written = graft::to_bytes(statistics);
  const auto again = graft::statistics_from_bytes<S>(written);
  if (graft::to_bytes(again) != written) finding("what was written reads back as other statistics");
  make_ranges(statistics, graft::MinMax(), graft::MovingAverage(), graft::Percentile(), graft::SquaredError(),
              graft::Entropy());
  statistics.seen = {};  // that the same samples do not follow themselves
  statistics.merge(statistics);
}

template <graft::Statistic... Kinds>
void try_kinds(const std::string& bytes) {
  const std::string_view kind = graft::statistics_kind(bytes);
  static_cast<void>(((kind == Kinds::kind && (try_kind<Kinds>(bytes), true)) || ...));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::uint64_t checksum = graft::detail::checksum(bytes);
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(checksum >> shift);
  try {
    try_kinds<graft::Extremes, graft::MovingExtremes, graft::Histogram, graft::ChannelExtremes, graft::ChannelMeans,
              graft::FeatureMoments, graft::GramMatrix>(bytes);
  } catch (const graft::Error&) {
  }
  return 0;
}
