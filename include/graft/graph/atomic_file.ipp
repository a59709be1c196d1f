#pragma once
#include <graft/graph/atomic_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE AtomicFile::AtomicFile(const std::string& target) : target_(resolved(target)) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(target_, ignored);
  if (std::filesystem::is_directory(status)) throw Error("cannot be written: it is a folder").file(target);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error("cannot be written: it is no regular file").file(target);
  // Processes in two containers may share a process id, and a killed process may have left a file.
  aside_ = named_ = target_ + ".part" + std::to_string(::getpid()) + '-' + std::to_string(std::random_device()());
#ifdef O_TMPFILE
  const std::string folder = std::filesystem::path(target_).parent_path().string();
  unnamed_ = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (unnamed_ < 0) return;  // opening the named file reports other failures
  const std::string place = "/proc/self/fd/" + std::to_string(unnamed_);
  if (::access(place.c_str(), W_OK) == 0) {
    aside_ = place;
  } else {
    ::close(std::exchange(unnamed_, -1));
  }
#endif
}

GRAFT_INLINE AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!published_) std::filesystem::remove(named_, ignored);
  if (unnamed_ >= 0) ::close(unnamed_);
}

GRAFT_INLINE void AtomicFile::publish() {
  std::error_code failure;
  // Only a rename replaces an existing file; a link does not.
  if (unnamed_ >= 0) link(named_);
  std::filesystem::rename(named_, target_, failure);
  if (failure) throw Error("cannot be written: " + failure.message()).file(target_);
  published_ = true;
}

GRAFT_INLINE void AtomicFile::publish_new() {
  link(target_);
  std::error_code ignored;
  if (unnamed_ < 0) std::filesystem::remove(named_, ignored);
  published_ = true;
}

GRAFT_INLINE void AtomicFile::link(const std::string& name) const {
  if (::linkat(AT_FDCWD, aside_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  const int reason = errno;
  // Some file systems have no links. Those also lack unnamed files.
  const bool has_links = unnamed_ >= 0 || (reason != EPERM && reason != ENOSYS && reason != EOPNOTSUPP);
  std::error_code failure;
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(name, failure));
  if (!has_links && !is_there && ::rename(aside_.c_str(), name.c_str()) == 0) return;
  throw Error(std::string("cannot be written: ") + std::strerror(is_there ? EEXIST : reason)).file(target_);
}

GRAFT_INLINE std::string AtomicFile::resolved(const std::string& given) {
  std::filesystem::path path = given;
  std::error_code failure;
  for (int links = 0; std::filesystem::is_symlink(path, failure); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
    if (failure || links == 40) throw Error("cannot be written: its symbolic links are broken").file(path.string());
    path = path.parent_path() / next;
  }
  return path.string();
}

}  // namespace graft::inline v1
