#pragma once
#include <graft/config.hpp>
#ifndef _WIN32
#include <graft/graph/detail/platform.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graft::inline v1::detail::platform {

GRAFT_INLINE int open(const std::string& path, Opening how) {
  if (how == Opening::write) return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  // Without O_NONBLOCK, opening a pipe without a writer blocks.
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (how == Opening::read_at_once ? O_NONBLOCK : 0));
}
GRAFT_INLINE int close(int file) { return ::close(file); }
GRAFT_INLINE bool rewind(int file) { return ::lseek(file, 0, SEEK_SET) == 0; }
GRAFT_INLINE bool skip(int file, std::int64_t bytes) {
  return ::lseek(file, static_cast<off_t>(bytes), SEEK_CUR) != -1;
}
GRAFT_INLINE std::int64_t read(int file, std::span<std::byte> into) { return ::read(file, into.data(), into.size()); }
GRAFT_INLINE std::int64_t write(int file, std::span<const std::byte> bytes) {
  return ::write(file, bytes.data(), bytes.size());
}
GRAFT_INLINE std::int64_t read(int file, std::uint64_t offset, std::span<std::byte> into) {
  return ::pread(file, into.data(), into.size(), static_cast<off_t>(offset));
}
GRAFT_INLINE std::int64_t write(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
  return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

GRAFT_INLINE bool read_state(int file, FileState& state) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return false;
#ifdef __APPLE__
  const timespec& written = status.st_mtimespec;
#else
  const timespec& written = status.st_mtim;
#endif
  state = {S_ISREG(status.st_mode), static_cast<std::uint64_t>(status.st_dev),
           status.st_ino,           static_cast<std::uint64_t>(status.st_size),
           written.tv_sec,          written.tv_nsec};
  return true;
}

GRAFT_INLINE int open_scratch(const std::string& folder) {
  std::string name = folder + "/.graft-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

GRAFT_INLINE UnnamedFile open_unnamed([[maybe_unused]] const std::string& folder) {
#ifdef O_TMPFILE
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return {};
  std::string path = "/proc/self/fd/" + std::to_string(file);
  if (::access(path.c_str(), W_OK) == 0) return {file, std::move(path)};
  ::close(file);
#endif
  return {};
}

GRAFT_INLINE bool link(const std::string& file, const std::string& name) {
  return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}
GRAFT_INLINE bool lacks_links(int error) { return error == EPERM || error == ENOSYS || error == EOPNOTSUPP; }
GRAFT_INLINE bool move(const std::string& file, const std::string& name) {
  return std::rename(file.c_str(), name.c_str()) == 0;
}

GRAFT_INLINE std::uint64_t process_id() { return static_cast<std::uint64_t>(::getpid()); }

/// The least limit of the control group that this process is in and of those around it, of Linux's second version; the
/// largest number if there is none.
inline std::size_t control_group_memory() {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  std::string group;
  while (std::getline(groups, group) && !group.starts_with("0::/")) {}
  for (group.erase(0, 3);; group.erase(group.rfind('/'))) {
    std::size_t bytes = 0;
    if (std::ifstream("/sys/fs/cgroup" + group + "/memory.max") >> bytes) least = std::min(least, bytes);
    if (group.empty()) return least;
  }
}

GRAFT_INLINE std::size_t physical_memory() {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  std::size_t least = std::min(pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), control_group_memory());
  for (const int limited : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit {};
    if (::getrlimit(limited, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min(least, static_cast<std::size_t>(limit.rlim_cur));
  }
  return least;
}

}  // namespace graft::inline v1::detail::platform
#endif
