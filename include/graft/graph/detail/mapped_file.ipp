#pragma once
#include <graft/graph/detail/mapped_file.hpp>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE MappedFile::MappedFile(const std::string& path) {
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

GRAFT_INLINE MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(data_, size_);
}

GRAFT_INLINE void MappedFile::fail(const std::string& what) { throw Error(what + ": " + std::strerror(errno)); }

}  // namespace graft::inline v1::detail
