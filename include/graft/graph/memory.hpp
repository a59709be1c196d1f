#pragma once
#include <cstddef>
#include <span>
#include <string>

#include <unistd.h>

#include <graft/graph/dims.hpp>

namespace graft::inline v1 {

/// What the machine has. Systems promise more, and end the program that takes it.
inline std::size_t physical_memory() {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// byte_count() of a tensor that is to be allocated. Throws Error for more than the machine's memory.
inline std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims) {
  const std::size_t bytes = byte_count(dtype, dims);
  if (bytes <= physical_memory()) return bytes;
  throw Error(to_string(dtype, dims) + " needs " + std::to_string(bytes) + " bytes, the machine has " +
              std::to_string(physical_memory()));
}

}  // namespace graft::inline v1
