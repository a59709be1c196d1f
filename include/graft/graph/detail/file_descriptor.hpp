#pragma once
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <graft/graph/detail/platform.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// An open file.
class FileDescriptor {
 public:
  /// Opens a file. Throws Error naming it, with the system's reason.
  FileDescriptor(const std::string& path, platform::Opening how) : fd_(platform::open(path, how)) {
    if (fd_ >= 0) return;
    const char* const what = how == platform::Opening::write ? "cannot be written: " : "cannot be opened: ";
    raise(Error(what + std::string(std::strerror(errno))).file(path));
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) platform::close(fd_);
  }
  int get() const { return fd_; }
  /// Closes the file. Throws Error if the written bytes did not reach it.
  void close() {
    if (platform::close(std::exchange(fd_, -1)) != 0)
      raise(Error(std::string("cannot be written: ") + std::strerror(errno)));
  }

 private:
  int fd_;
};

}  // namespace graft::inline v1::detail
