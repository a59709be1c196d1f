#pragma once
#include <graft/graph/detail/data_file.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/detail/positioned_io.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE DataFile::DataFile(std::string path) : path_(std::move(path)) {
  state_ = state_of(FileDescriptor(path_, platform::Opening::read_at_once).get());
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
  return held ? held : std::make_shared<const FileDescriptor>(path_, platform::Opening::read_at_once);
}

GRAFT_INLINE void DataFile::hold() const {
  const std::lock_guard lock(mutex_);
  if (held_) return;
  auto file = std::make_shared<const FileDescriptor>(path_, platform::Opening::read_at_once);
  check(file->get());
  held_ = std::move(file);
}

GRAFT_INLINE platform::FileState DataFile::state_of(int file) {
  platform::FileState state;
  if (!platform::read_state(file, state)) throw Error(std::string("cannot be read: ") + std::strerror(errno));
  if (!state.is_regular) throw Error("is not a regular file");
  return state;
}

GRAFT_INLINE void DataFile::check(int file) const {
  const platform::FileState now = state_of(file);
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
