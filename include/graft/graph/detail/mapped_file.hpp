#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// A regular file mapped for reading.
class MappedFile {
 public:
  /// Throws Error with the system's reason.
  explicit MappedFile(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) fail("cannot be opened");
    struct stat status {};
    const bool known = ::fstat(file, &status) == 0;
    const bool regular = known && S_ISREG(status.st_mode);
    if (regular && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    const int error = errno;
    ::close(file);
    if (known && !regular) throw Error("is no regular file");
    if (!known || data_ == MAP_FAILED) {
      errno = error;
      fail("cannot be mapped");
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (size_ > 0) ::munmap(data_, size_);
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw Error(what + ": " + std::strerror(errno)); }

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace graft::inline v1::detail
