#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

/// The machine's memory in bytes. An operating system may promise more, and then kill the process that uses it.
std::size_t physical_memory();

/// Limits the bytes of each tensor that the calling thread allocates during its lifetime, results of kernels included.
/// Of nested limits the least counts.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes);
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
  ~AllocationLimit();

  /// The limit of the calling thread; physical_memory() if it has none.
  static std::size_t current();

 private:
  std::size_t outer_;
};

/// The byte_count() of a tensor to be allocated. Throws Error beyond AllocationLimit::current().
std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims);

}  // namespace graft::inline v1
