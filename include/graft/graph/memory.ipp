#pragma once
#include <graft/graph/memory.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <unistd.h>

#include <graft/config.hpp>
#include <graft/graph/allocation_budget.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::size_t physical_memory() {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

namespace detail {

inline std::size_t& allocation_limit() {
  thread_local std::size_t bytes = std::numeric_limits<std::size_t>::max();
  return bytes;
}

}  // namespace detail

GRAFT_INLINE AllocationLimit::AllocationLimit(std::size_t bytes)
    : outer_(std::exchange(detail::allocation_limit(), std::min(bytes, detail::allocation_limit()))) {}

GRAFT_INLINE AllocationLimit::~AllocationLimit() { detail::allocation_limit() = outer_; }

GRAFT_INLINE std::size_t AllocationLimit::current() { return std::min(detail::allocation_limit(), physical_memory()); }

GRAFT_INLINE std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims) {
  const std::size_t bytes = byte_count(dtype, dims);
  const std::size_t limit = AllocationLimit::current(), left = AllocationBudget::left();
  if (bytes <= std::min(limit, left)) return bytes;
  const char* const why = left < limit ? "the budget has left " : limit == physical_memory() ? "the machine has "
                                                                                              : "the limit is ";
  throw Error(to_string(dtype, dims) + " needs " + std::to_string(bytes) + " bytes, " + why +
              std::to_string(std::min(limit, left)));
}

}  // namespace graft::inline v1
