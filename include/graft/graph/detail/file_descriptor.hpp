#pragma once
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// An open file.
class FileDescriptor {
 public:
  /// Opens a file. Throws Error naming it, with the system's reason.
  FileDescriptor(const std::string& path, int flags, mode_t mode = 0) : fd_(::open(path.c_str(), flags, mode)) {
    if (fd_ >= 0) return;
    const char* const what = (flags & O_ACCMODE) == O_RDONLY ? "cannot be opened: " : "cannot be written: ";
    throw Error(what + std::string(std::strerror(errno))).file(path);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// Closes the file. Throws Error if the written bytes did not reach it.
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) throw Error(std::string("cannot be written: ") + std::strerror(errno));
  }

 private:
  int fd_;
};

}  // namespace graft::inline v1::detail
