#pragma once
// Files for the streams of protobuf, whose lite library has no FileInputStream and FileOutputStream.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/platform.hpp>

namespace graft::inline v1::detail {

class FileReader : public google::protobuf::io::CopyingInputStream {
 public:
  explicit FileReader(const FileDescriptor& file) : fd_(file.get()) {}

  int Read(void* buffer, int size) override {
    for (;;) {
      const std::int64_t got = platform::read(fd_, {static_cast<std::byte*>(buffer), static_cast<std::size_t>(size)});
      if (got >= 0 || errno != EINTR) return static_cast<int>(got);
    }
  }
  int Skip(int count) override {
    if (can_seek_ && platform::skip(fd_, count)) return count;
    can_seek_ = false;
    return CopyingInputStream::Skip(count);
  }

 private:
  int fd_;
  bool can_seek_ = true;
};

class FileWriter : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit FileWriter(const FileDescriptor& file) : fd_(file.get()) {}
  /// errno of the write that failed; 0 if none did.
  int error() const { return error_; }

  bool Write(const void* buffer, int size) override {
    std::span<const std::byte> left(static_cast<const std::byte*>(buffer), static_cast<std::size_t>(size));
    while (!left.empty()) {
      const std::int64_t put = platform::write(fd_, left);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) error_ = put < 0 ? errno : EIO;
      if (put <= 0) return false;
      left = left.subspan(static_cast<std::size_t>(put));
    }
    return true;
  }

 private:
  int fd_;
  int error_ = 0;
};

}  // namespace graft::inline v1::detail
