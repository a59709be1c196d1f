#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace graft::inline v1::detail {

/// Bytes that are elsewhere than in memory.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Any thread may ask. Throws Error with the reason if they cannot be read.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

}  // namespace graft::inline v1::detail
