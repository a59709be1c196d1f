#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace graft::inline v1::detail {

/// A source of bytes outside memory.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Reads bytes; thread-safe. Throws Error with the reason if that fails.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

}  // namespace graft::inline v1::detail
