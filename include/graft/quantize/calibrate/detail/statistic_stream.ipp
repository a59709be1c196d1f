#pragma once
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

GRAFT_INLINE std::uint64_t summable_checksum(std::uint64_t index, std::string_view name) {
  std::uint64_t hash = checksum(name) + (index + 1) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

// The start of a statistics file: the family, the version, then the kind.
inline constexpr std::string_view statistics_family = "graft statistics ";

GRAFT_INLINE bool holds_statistics(std::string_view bytes) {
  return bytes.substr(0, statistics_family.size()) == statistics_family;
}

inline void write_float(StatisticOutput& out, float value) {
  out.WriteLittleEndian32(std::bit_cast<std::uint32_t>(value));
}

GRAFT_INLINE void write_double(StatisticOutput& out, double value) {
  out.WriteLittleEndian64(std::bit_cast<std::uint64_t>(value));
}

/// Writes a signed integer; small magnitudes take few bytes.
inline void write_int(StatisticOutput& out, std::int64_t value) {
  out.WriteVarint64(google::protobuf::internal::WireFormatLite::ZigZagEncode64(value));
}

GRAFT_INLINE void write_text(StatisticOutput& out, const std::string& text) {
  out.WriteVarint64(text.size());
  out.WriteString(text);
}

GRAFT_INLINE void write_range(StatisticOutput& out, const Range& range) {
  write_float(out, range.min);
  write_float(out, range.max);
}

GRAFT_INLINE void check_read(bool read) {
  if (!read) throw Error("ends too early");
}

inline float read_float(StatisticInput& in) {
  std::uint32_t bits = 0;
  check_read(in.ReadLittleEndian32(&bits));
  return std::bit_cast<float>(bits);
}

GRAFT_INLINE double read_double(StatisticInput& in) {
  std::uint64_t bits = 0;
  check_read(in.ReadLittleEndian64(&bits));
  return std::bit_cast<double>(bits);
}

GRAFT_INLINE std::uint64_t read_count(StatisticInput& in) {
  std::uint64_t value = 0;
  check_read(in.ReadVarint64(&value));
  return value;
}

inline std::int64_t read_int(StatisticInput& in) {
  return google::protobuf::internal::WireFormatLite::ZigZagDecode64(read_count(in));
}

GRAFT_INLINE std::string read_text(StatisticInput& in) {
  std::string text;
  const std::uint64_t size = read_count(in);
  check_read(size <= std::numeric_limits<int>::max() && in.ReadString(&text, static_cast<int>(size)));
  return text;
}

GRAFT_INLINE Range read_range(StatisticInput& in) {
  Range range;
  range.min = read_float(in);
  range.max = read_float(in);
  const bool finite = std::isfinite(range.min) && std::isfinite(range.max) && range.min <= range.max;
  if (finite || range == Range()) return range;
  throw Error("holds a range from " + std::to_string(range.min) + " to " + std::to_string(range.max));
}

}  // namespace graft::inline v1::detail
