#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <graft/graph/detail/platform.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

inline constexpr std::size_t max_at_once = std::size_t{1} << 30;  // Linux moves no more than 2 GiB in one call

/// Reads bytes at an offset. Returns their number, which is smaller at the end of the file. Throws Error with the
/// system's reason.
inline std::size_t read_at(int file, std::uint64_t offset, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::span<std::byte> left = into.subspan(done);
    const std::int64_t got = platform::read(file, offset + done, left.first(std::min(left.size(), max_at_once)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

/// Writes bytes at an offset. Throws Error with the system's reason, such as a full disk.
inline void write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::span<const std::byte> left = bytes.subspan(done);
    const std::int64_t put = platform::write(file, offset + done, left.first(std::min(left.size(), max_at_once)));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw Error(std::string("cannot be written: ") + std::strerror(errno));
    done += static_cast<std::size_t>(put);
  }
}

}  // namespace graft::inline v1::detail
