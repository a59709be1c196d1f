#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include <graft/graph/detail/byte_source.hpp>

namespace graft::inline v1::detail {

/// A file without a name, which goes with the object or the process, however that ends.
class ScratchFile : public ByteSource {
 public:
  /// Throws Error naming the folder if no file can be made there.
  explicit ScratchFile(const std::string& folder);
  ~ScratchFile() override;

  /// Where the bytes stand from now on. Throws Error naming the folder if they cannot be written, as on a full disk.
  std::uint64_t append(std::span<const std::byte> bytes);
  void read(std::uint64_t offset, std::span<std::byte> into) const override;

 private:
  std::string folder_;
  int fd_ = -1;
  std::mutex mutex_;
  std::uint64_t size_ = 0;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/scratch_file.ipp>
#endif
