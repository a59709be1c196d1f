#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <graft/graph/detail/byte_source.hpp>

namespace graft::inline v1::detail {

/// The bytes of a tensor in another place. They are read on first access, and kept for the lifetime of this object.
class DeferredBytes {
 public:
  /// name: the name in errors, such as "external data 'w.bin'".
  DeferredBytes(std::shared_ptr<const ByteSource> source, std::uint64_t offset, std::size_t size, std::string name,
                std::string tensor)
      : source_(std::move(source)), offset_(offset), size_(size), name_(std::move(name)), tensor_(std::move(tensor)) {}

  std::size_t size() const { return size_; }
  /// The bytes, aligned for every dtype; thread-safe. Throws UnreadableTensor with the tensor as its field.
  const std::byte* get() const {
    const std::byte* const read = read_.load(std::memory_order_acquire);
    return read != nullptr ? read : read_now();
  }

 private:
  const std::byte* read_now() const;

  std::shared_ptr<const ByteSource> source_;
  std::uint64_t offset_;
  std::size_t size_;
  std::string name_, tensor_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<std::byte[]> bytes_;
  mutable std::atomic<const std::byte*> read_{nullptr};
};

}  // namespace graft::inline v1::detail
