#pragma once
#include <graft/graph/detail/data_file.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include <graft/config.hpp>
#include <graft/graph/detail/positioned_io.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

// Without O_NONBLOCK, opening a pipe without a writer blocks.
inline constexpr int data_file_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

GRAFT_INLINE DataFile::DataFile(std::string path) : path_(std::move(path)) {
  state_ = state_of(FileDescriptor(path_, data_file_flags).get());
}

GRAFT_INLINE void DataFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  const std::shared_ptr<const FileDescriptor> file = descriptor();
  check(file->get());
  const std::size_t got = read_at(file->get(), offset, into);
  check(file->get());  // again: the file may have changed while it was read
  if (got < into.size()) throw Error("ends before the requested bytes");
}

GRAFT_INLINE std::shared_ptr<const FileDescriptor> DataFile::descriptor() const {
  const std::shared_ptr<const FileDescriptor> held = opened();
  return held ? held : std::make_shared<const FileDescriptor>(path_, data_file_flags);
}

GRAFT_INLINE void DataFile::hold() const {
  const std::lock_guard lock(mutex_);
  if (held_) return;
  auto file = std::make_shared<const FileDescriptor>(path_, data_file_flags);
  check(file->get());
  held_ = std::move(file);
}

GRAFT_INLINE DataFile::State DataFile::state_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw Error(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw Error("is no regular file");
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

GRAFT_INLINE void DataFile::check(int file) const {
  const State now = state_of(file);
  if (now.device != state_.device || now.inode != state_.inode)
    throw Error("has been replaced since the model was loaded");
  if (now.size != state_.size) {
    throw Error("has changed since the model was loaded: it had " + std::to_string(state_.size) + " bytes, and has " +
                std::to_string(now.size));
  }
  if (now.seconds != state_.seconds || now.nanoseconds != state_.nanoseconds)
    throw Error("has been written since the model was loaded");
}

}  // namespace graft::inline v1::detail
