#pragma once
// Files for the streams of protobuf, whose lite library has no FileInputStream and FileOutputStream.
#include <cerrno>
#include <cstddef>

#include <unistd.h>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <graft/graph/detail/file_descriptor.hpp>

namespace graft::inline v1::detail {

class FileReader : public google::protobuf::io::CopyingInputStream {
 public:
  explicit FileReader(const FileDescriptor& file) : fd_(file.get()) {}

  int Read(void* buffer, int size) override {
    for (;;) {
      const auto got = ::read(fd_, buffer, static_cast<std::size_t>(size));
      if (got >= 0 || errno != EINTR) return static_cast<int>(got);
    }
  }
  int Skip(int count) override {
    if (can_seek_ && ::lseek(fd_, count, SEEK_CUR) != -1) return count;
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
    const char* at = static_cast<const char*>(buffer);
    for (const char* const end = at + size; at != end;) {
      const auto put = ::write(fd_, at, static_cast<std::size_t>(end - at));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) error_ = put < 0 ? errno : EIO;
      if (put <= 0) return false;
      at += put;
    }
    return true;
  }

 private:
  int fd_;
  int error_ = 0;
};

}  // namespace graft::inline v1::detail
