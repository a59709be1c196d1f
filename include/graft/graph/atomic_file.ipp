#pragma once
#include <graft/graph/atomic_file.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE AtomicFile::AtomicFile(const std::string& target) : target_(resolved(target)) {
  namespace platform = detail::platform;
  std::error_code ignored;
  const std::filesystem::path path = platform::path_of(target_);
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) throw Error("cannot be written: it is a folder").file(target);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error("cannot be written: it is not a regular file").file(target);
  // Processes in two containers may share a process id, and a killed process may have left a file.
  aside_ = named_ =
      target_ + ".part" + std::to_string(platform::process_id()) + '-' + std::to_string(std::random_device()());
  const std::string folder = platform::text_of(path.parent_path());
  platform::UnnamedFile unnamed = platform::open_unnamed(folder.empty() ? "." : folder);
  if (unnamed.file < 0) return;  // opening the named file reports other failures
  unnamed_ = unnamed.file;
  aside_ = std::move(unnamed.path);
}

GRAFT_INLINE AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!published_) std::filesystem::remove(detail::platform::path_of(named_), ignored);
  if (unnamed_ >= 0) detail::platform::close(unnamed_);
}

GRAFT_INLINE void AtomicFile::publish() {
  std::error_code failure;
  // Only a rename replaces an existing file; a link does not.
  if (unnamed_ >= 0) link(named_);
  std::filesystem::rename(detail::platform::path_of(named_), detail::platform::path_of(target_), failure);
  if (failure) throw Error("cannot be written: " + failure.message()).file(target_);
  published_ = true;
}

GRAFT_INLINE void AtomicFile::publish_new() {
  link(target_);
  std::error_code ignored;
  if (unnamed_ < 0) std::filesystem::remove(detail::platform::path_of(named_), ignored);
  published_ = true;
}

GRAFT_INLINE void AtomicFile::link(const std::string& name) const {
  namespace platform = detail::platform;
  if (platform::link(aside_, name)) return;
  const int reason = errno;
  // Some file systems have no links. Those also lack unnamed files.
  const bool has_links = unnamed_ >= 0 || !platform::lacks_links(reason);
  std::error_code failure;
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(platform::path_of(name), failure));
  if (!has_links && !is_there && platform::move(aside_, name)) return;
  throw Error(std::string("cannot be written: ") + std::strerror(is_there ? EEXIST : reason)).file(target_);
}

GRAFT_INLINE std::string AtomicFile::resolved(const std::string& given) {
  std::filesystem::path path = detail::platform::path_of(given);
  std::error_code failure;
  for (int links = 0; std::filesystem::is_symlink(path, failure); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
    if (failure || links == 40)
      throw Error("cannot be written: its symbolic links are broken").file(detail::platform::text_of(path));
    path = path.parent_path() / next;
  }
  return detail::platform::text_of(path);
}

}  // namespace graft::inline v1
