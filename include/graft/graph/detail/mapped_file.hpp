#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace graft::inline v1::detail {

/// A regular file mapped for reading.
class MappedFile {
 public:
  /// Throws Error with the system's reason.
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  [[noreturn]] static void fail(const std::string& what);

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/mapped_file.ipp>
#endif
