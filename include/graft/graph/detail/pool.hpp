#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace graft::inline v1::detail {

/// Bump allocator for the records of a view: stable addresses, freed all at once.
class Pool {
 public:
  /// Aligned for pointers.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + alignof(void*) - 1) / alignof(void*) * alignof(void*);
    if (bytes > left_) refill(bytes);
    std::byte* const result = at_;
    at_ += bytes;
    left_ -= bytes;
    return result;
  }
  std::size_t bytes() const { return reserved_; }

 private:
  void refill(std::size_t bytes) {
    const std::size_t size = std::max(bytes, chunk_);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    at_ = chunks_.back().get();
    left_ = size;
    reserved_ += size;
    chunk_ = std::min<std::size_t>(chunk_ * 2, 64 * 1024);  // little is left over, even of a small graph
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0, reserved_ = 0, chunk_ = 4096;
};

}  // namespace graft::inline v1::detail
