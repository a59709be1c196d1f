#pragma once
#include <graft/graph/detail/scratch_file.hpp>

#include <cerrno>
#include <cstring>

#include <graft/config.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/detail/positioned_io.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE ScratchFile::ScratchFile(const std::string& folder) : folder_(folder.empty() ? "." : folder) {
  fd_ = platform::open_scratch(folder_);
  if (fd_ < 0) throw Error(std::string("no scratch file can be made there: ") + std::strerror(errno)).file(folder_);
}

GRAFT_INLINE ScratchFile::~ScratchFile() { platform::close(fd_); }

GRAFT_INLINE std::uint64_t ScratchFile::append(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t place = size_;
  try {
    write_at(fd_, place, bytes);
  } catch (const Error& error) {
    throw Error("the scratch file there " + error.message()).file(folder_);
  }
  size_ += bytes.size();
  return place;
}

GRAFT_INLINE void ScratchFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (read_at(fd_, offset, into) < into.size()) throw Error("ends before the requested bytes");
}

}  // namespace graft::inline v1::detail
