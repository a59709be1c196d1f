#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include <graft/graph/detail/byte_source.hpp>

namespace graft::inline v1::detail {

/// An unnamed file that disappears with the object or the process, however the process ends.
class ScratchFile : public ByteSource {
 public:
  /// Creates the file. Throws Error naming the folder if that fails.
  explicit ScratchFile(const std::string& folder);
  ~ScratchFile() override;

  /// Appends bytes and returns their offset. Throws Error naming the folder if that fails, for example if the disk is
  /// full.
  std::uint64_t append(std::span<const std::byte> bytes);
  void read(std::uint64_t offset, std::span<std::byte> into) const override;

 private:
  std::string folder_;
  int fd_ = -1;
  std::mutex mutex_;
  std::uint64_t size_ = 0;
};

}  // namespace graft::inline v1::detail
