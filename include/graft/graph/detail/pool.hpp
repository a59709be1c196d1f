#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace graft::inline v1::detail {

/// A bump allocator for the records of a view. Addresses are stable, and all records are freed at once.
class Pool {
 public:
  /// Allocates bytes, aligned for pointers.
  void* allocate(std::size_t bytes);
  std::size_t bytes() const { return reserved_; }

 private:
  void refill(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0, reserved_ = 0, chunk_ = 4096;
};

}  // namespace graft::inline v1::detail
