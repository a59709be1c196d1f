#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/whole_file.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// The kind of the statistics in these bytes: S::kind of a Statistic. Throws Error if the bytes hold no statistics,
/// statistics of another version, or damaged ones, or are over 2 GiB.
std::string_view statistics_kind(std::string_view bytes);

namespace detail {

/// Throws Error if there are more bytes than protobuf can read.
void check_statistics_size(std::size_t bytes);

}  // namespace detail

/// Writes a line with version and kind, the statistics, and a checksum over both. Equal statistics give equal bytes.
/// Throws Error for more than 2 GiB, which could not be read again.
template <Statistic S>
std::string to_bytes(const Statistics<S>& statistics) {
  std::string bytes = std::string(detail::statistics_head) + std::string(S::kind) + "\n";
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    detail::StatisticOutput out(&stream);
    statistics.start().write(out);
    out.WriteVarint64(statistics.samples);
    out.WriteVarint64(statistics.skipped);
    statistics.seen.write(out);
    out.WriteVarint64(statistics.settings.size());
    for (const auto& [name, setting] : statistics.settings) {
      detail::write_text(out, name);
      detail::write_text(out, setting);
    }
    out.WriteVarint64(statistics.size());
    for (const auto& [name, statistic] : statistics) {
      detail::write_text(out, name);
      statistic.write(out);
    }
  }
  detail::check_statistics_size(bytes.size() + sizeof(std::uint64_t));
  const std::uint64_t checksum = detail::checksum(bytes);
  google::protobuf::io::StringOutputStream stream(&bytes);
  detail::StatisticOutput(&stream).WriteLittleEndian64(checksum);
  return bytes;
}

/// Throws Error as statistics_kind() does, and for statistics that have another kind or are inconsistent.
template <Statistic S>
Statistics<S> statistics_from_bytes(std::string_view bytes) {
  const std::string_view kind = statistics_kind(bytes);
  if (kind != S::kind) detail::raise(Error("holds " + std::string(kind) + ", expected " + std::string(S::kind)));
  bytes.remove_prefix(detail::statistics_head.size() + kind.size() + 1);
  bytes.remove_suffix(sizeof(std::uint64_t));
  detail::StatisticInput in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  Statistics<S> statistics(S::read(in));
  statistics.samples = detail::read_count(in);
  statistics.skipped = detail::read_count(in);
  if (statistics.skipped > std::numeric_limits<std::uint64_t>::max() - statistics.samples)
    detail::raise(Error("its sample count overflows"));
  statistics.seen = SeenSamples::read(in);
  if (statistics.seen.count() > statistics.samples + statistics.skipped)
    detail::raise(Error("lists samples beyond its count"));
  for (std::uint64_t left = detail::read_count(in); left > 0; --left) {
    const std::string name = detail::read_text(in);
    if (!statistics.settings.emplace(name, detail::read_text(in)).second)
      detail::raise(Error("is set twice").field(name));
  }
  for (std::uint64_t left = detail::read_count(in); left > 0; --left) {
    const std::string name = detail::read_text(in);
    if (statistics.find(name) != nullptr) detail::raise(Error("occurs twice").field(name));
    statistics.of(name) = S::read(in);
  }
  if (static_cast<std::size_t>(in.CurrentPosition()) != bytes.size()) detail::raise(Error("has data after its end"));
  return statistics;
}

/// The file is replaced as a whole or not at all. Throws Error naming the file if it cannot be written.
template <Statistic S>
void save_statistics(const Statistics<S>& statistics, const std::string& path) {
  write_whole(path, to_bytes(statistics));
}

/// Throws Error naming the file if it cannot be read or has more than max_bytes, and as statistics_from_bytes() does.
template <Statistic S>
Statistics<S> load_statistics(const std::string& path, std::size_t max_bytes = file_limit) {
  std::optional<Statistics<S>> found;
  detail::with_part(&Error::file, path, [&] { found.emplace(statistics_from_bytes<S>(read_whole(path, max_bytes))); });
  return *std::move(found);
}

/// Loads statistics of any of several kinds. Throws Error as load_statistics() does.
template <Statistic... Kinds>
std::variant<Statistics<Kinds>...> load_any_statistics(const std::string& path, std::size_t max_bytes = file_limit) {
  std::optional<std::variant<Statistics<Kinds>...>> found;
  detail::with_part(&Error::file, path, [&] {
    const std::string bytes = read_whole(path, max_bytes);
    const std::string_view kind = statistics_kind(bytes);
    const bool known = ((kind == Kinds::kind && (found.emplace(statistics_from_bytes<Kinds>(bytes)), true)) || ...);
    if (!known) detail::raise(Error("holds " + std::string(kind) + ", which is not one of the accepted kinds"));
  });
  return *std::move(found);
}

}  // namespace graft::inline v1
