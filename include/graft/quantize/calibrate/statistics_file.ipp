#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/statistics_file.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void detail::check_statistics_size(std::size_t bytes) {
  if (bytes > std::numeric_limits<int>::max()) throw Error("is over 2 GiB");
}

GRAFT_INLINE std::string_view statistics_kind(std::string_view bytes) {
  if (!detail::holds_statistics(bytes)) throw Error("holds no statistics");
  const std::size_t end = bytes.find('\n');
  if (bytes.substr(0, detail::statistics_head.size()) != detail::statistics_head || end == std::string_view::npos)
    throw Error("holds statistics of another version of graft");
  detail::check_statistics_size(bytes.size());
  constexpr std::size_t tail = sizeof(std::uint64_t);
  const bool whole = bytes.size() >= end + 1 + tail;
  std::uint64_t stored = 0;
  if (whole) {
    detail::StatisticInput in(reinterpret_cast<const std::uint8_t*>(bytes.data()) + bytes.size() - tail, tail);
    static_cast<void>(in.ReadLittleEndian64(&stored));  // the bytes are there
  }
  if (!whole || stored != detail::checksum(bytes.substr(0, bytes.size() - tail)))
    throw Error("is damaged: its checksum is another");
  return bytes.substr(detail::statistics_head.size(), end - detail::statistics_head.size());
}

}  // namespace graft::inline v1
