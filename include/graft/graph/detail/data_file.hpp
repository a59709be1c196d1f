#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include <graft/graph/detail/byte_source.hpp>
#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/platform.hpp>

namespace graft::inline v1::detail {

/// A regular file of tensors, which must not change. It is read, not mapped: access to a mapping of a truncated file
/// ends the program by SIGBUS. It is opened on demand, because a model may have more files than a process may open.
class DataFile : public ByteSource {
 public:
  /// Records the state of the file. Throws Error with the system's reason.
  explicit DataFile(std::string path);

  std::uint64_t size() const { return state_.size; }
  /// Throws Error if the file was replaced or written.
  void read(std::uint64_t offset, std::span<std::byte> into) const override;
  /// Throws Error as read() does.
  void check() const { check(descriptor()->get()); }
  /// Keeps the file open during the lifetime of this object, so that it may be removed. Throws Error as read() does.
  void hold() const;
  bool is_held() const { return opened() != nullptr; }
  bool is_one_with(const DataFile& other) const {
    return state_.device == other.state_.device && state_.inode == other.state_.inode;
  }

 private:
  static platform::FileState state_of(int file);
  std::shared_ptr<const FileDescriptor> descriptor() const;
  void check(int file) const;
  std::shared_ptr<const FileDescriptor> opened() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }

  std::string path_;
  platform::FileState state_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const FileDescriptor> held_;
};

}  // namespace graft::inline v1::detail
