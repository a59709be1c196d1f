#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <unistd.h>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

inline constexpr std::size_t max_at_once = std::size_t{1} << 30;  // Linux moves no more than 2 GiB in one call

/// Reads bytes at an offset. Returns their number, which is smaller at the end of the file. Throws Error with the
/// system's reason.
inline std::size_t read_at(int file, std::uint64_t offset, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(file, into.data() + done, std::min(into.size() - done, max_at_once), static_cast<off_t>(offset + done));
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
    const ssize_t put = ::pwrite(file, bytes.data() + done, std::min(bytes.size() - done, max_at_once),
                                 static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw Error(std::string("cannot be written: ") + std::strerror(errno));
    done += static_cast<std::size_t>(put);
  }
}

}  // namespace graft::inline v1::detail
