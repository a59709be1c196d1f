#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

/// The memory of the machine in bytes. A system may promise more, and kill the process that uses it.
std::size_t physical_memory();

/// While one is alive, no tensor that its thread makes may take more bytes, results of kernels included. Of several the
/// least counts.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes);
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
  ~AllocationLimit();

  /// Of the calling thread: physical_memory() if there is none.
  static std::size_t current();

 private:
  std::size_t outer_;
};

/// byte_count() of a tensor that is to be allocated. Throws Error for more than AllocationLimit::current().
std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/memory.ipp>
#endif
